package petrichor.services.queues.dispatch;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.services.queues.DispatchRate;
import petrichor.services.queues.NewTask;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.TaskBatch;
import petrichor.services.queues.TaskMethod;
import petrichor.services.queues.TaskWork;
import petrichor.services.queues.rabbitmq.RabbitMqBroker;
import petrichor.services.queues.rabbitmq.RabbitMqDelivery;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.scheduling.SystemScheduler;

/**
 * A process that commits transactions with a row and a task each, and executes the tasks, until it
 * is killed. Reports on standard output: {@code committed N}, {@code ran N}, {@code early N} if a
 * task runs whose row does not exist, and {@code idle} when no task is left.
 */
final class CrashingServer {
    private static final String PROJECT = "demo";
    private static final DispatchRate FAST = new DispatchRate(100_000, 1_000, 50);

    private CrashingServer() {}

    /**
     * @param args the folder of the store; the first number to commit; how many, or 0 to finish the
     *     tasks that exist; the URL of RabbitMQ, if tasks are delivered through it
     */
    public static void main(String[] args) throws InterruptedException {
        int from = Integer.parseInt(args[1]);
        int count = Integer.parseInt(args[2]);
        RowDatabases databases = new RowDatabases(RocksStore.open(Path.of(args[0])));
        TaskDelivery delivery = task -> run(databases.open(PROJECT), task);
        Dispatchers dispatchers =
                new Dispatchers(
                        () -> databases,
                        QueueLimits.DEFAULT,
                        DispatchLimits.DEFAULT,
                        args.length == 3 ? delivery : throughRabbitMq(args[3], delivery),
                        MemoryBudget.unlimited(),
                        TimeSource.SYSTEM,
                        new SystemScheduler(),
                        new SecureRandom());
        dispatchers.look();
        ProjectQueues queues = dispatchers.open(PROJECT);
        queues.define(List.of(Queue.push("q").withRate(FAST)));
        for (int number = from; number < from + count; number++) {
            commit(databases.open(PROJECT), queues, number);
        }
        while (count == 0 && !queues.order("q", null, 1).isEmpty()) {
            Thread.sleep(10);
        }
        say("idle");
        Thread.sleep(60_000);
    }

    private static TaskDelivery throughRabbitMq(String url, TaskDelivery delivery) {
        RabbitMqDelivery through =
                new RabbitMqDelivery(
                        RabbitMqBroker.of(url),
                        delivery,
                        owner -> owner,
                        DispatchLimits.DEFAULT.deliveriesMax(),
                        MemoryBudget.unlimited(),
                        TimeSource.SYSTEM,
                        new SystemScheduler(),
                        new SecureRandom());
        through.start();
        return through;
    }

    private static void commit(Database database, ProjectQueues queues, int number) {
        byte[] body = String.valueOf(number).getBytes(StandardCharsets.UTF_8);
        TaskBatch batch =
                queues.prepare(
                        "q",
                        List.of(
                                NewTask.of(
                                        new TaskWork.Push(
                                                TaskMethod.POST, "/job", List.of(), body))));
        List<RowWrite> rows = new java.util.ArrayList<>(batch.rows());
        rows.add(new RowWrite(key(number), body, null));
        CompletableFuture<CommitResult> commit;
        try (Snapshot snapshot = database.snapshot()) {
            commit =
                    database.commit(
                            new CommitRequest(
                                    snapshot.version(), List.of(), List.of(), List.of(), rows));
        }
        if (commit.join() instanceof CommitResult.Committed) {
            say("committed " + number);
            batch.committed().run();
        }
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(5).put((byte) 'Z').putInt(number).array();
    }

    private static CompletableFuture<DeliveryResult> run(Database database, Delivery delivery) {
        int number =
                delivery.task().work() instanceof TaskWork.Push push
                        ? Integer.parseInt(new String(push.body(), StandardCharsets.UTF_8))
                        : -1;
        try (Snapshot snapshot = database.snapshot()) {
            say((snapshot.get(key(number)) == null ? "early " : "ran ") + number);
        }
        return CompletableFuture.completedFuture(new DeliveryResult.Answered(200));
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
