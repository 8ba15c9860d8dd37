package petrichor.services.queues.rabbitmq;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.queues.DispatchRate;
import petrichor.services.queues.NewTask;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.QueueStatistics;
import petrichor.services.queues.TaskMethod;
import petrichor.services.queues.TaskWork;
import petrichor.services.queues.dispatch.Delivery;
import petrichor.services.queues.dispatch.DeliveryResult;
import petrichor.services.queues.dispatch.DispatchLimits;
import petrichor.services.queues.dispatch.Dispatchers;
import petrichor.services.queues.dispatch.TaskDelivery;
import petrichor.testing.process.Pause;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.scheduling.SystemScheduler;

/**
 * Servers that deliver tasks through RabbitMQ, in this process: the first one owns the project, and
 * the others only deliver. The name of a task is the body of its request.
 */
final class TasksThroughRabbitMq implements AutoCloseable {
    static final String PROJECT = "demo";
    static final String QUEUE = "q";

    /** For a machine under load, where RabbitMQ answers slowly. */
    private static final Duration WAIT_MAX = Duration.ofMinutes(4);

    private final String url;
    private final int deliveriesMax;
    private final TimeSource time;
    private final SystemScheduler scheduler = new SystemScheduler();
    private final RowDatabases databases = new RowDatabases(MemoryStore.open());
    private final List<RabbitMqDelivery> servers = new ArrayList<>();
    private final Dispatchers dispatchers;
    private final CompletableFuture<TaskOwners> owner = new CompletableFuture<>();

    /** What an app does with a task. */
    interface App {
        CompletableFuture<DeliveryResult> run(String task);
    }

    /**
     * @param deliveriesMax of each server at one time
     * @param time of the timeouts of notices and confirms
     * @param app receives the tasks that the owner delivers
     */
    TasksThroughRabbitMq(
            String url, int deliveriesMax, TimeSource time, DispatchRate rate, App app) {
        this.url = url;
        this.deliveriesMax = deliveriesMax;
        this.time = time;
        RabbitMqDelivery first =
                server(
                        app,
                        local -> {
                            owner.complete(local);
                            return local;
                        });
        this.dispatchers =
                new Dispatchers(
                        () -> databases,
                        QueueLimits.DEFAULT,
                        DispatchLimits.DEFAULT,
                        first,
                        MemoryBudget.unlimited(),
                        TimeSource.SYSTEM,
                        scheduler,
                        new SecureRandom());
        dispatchers.open(PROJECT).define(List.of(Queue.push(QUEUE).withRate(rate)));
        dispatchers.start();
    }

    /** Starts another server, which owns nothing. */
    RabbitMqDelivery join(App app) {
        return server(app, _ -> owner.join());
    }

    private RabbitMqDelivery server(App app, java.util.function.UnaryOperator<TaskOwners> owners) {
        RabbitMqDelivery server =
                new RabbitMqDelivery(
                        RabbitMqBroker.of(url),
                        toApp(app),
                        owners,
                        deliveriesMax,
                        MemoryBudget.unlimited(),
                        time,
                        scheduler,
                        new SecureRandom());
        server.start();
        servers.add(server);
        until("the server connects", server::accepting);
        return server;
    }

    private static TaskDelivery toApp(App app) {
        return delivery -> app.run(bodyOf(delivery));
    }

    private static String bodyOf(Delivery delivery) {
        return delivery.task().work() instanceof TaskWork.Push push
                ? new String(push.body(), StandardCharsets.UTF_8)
                : "";
    }

    RabbitMqDelivery first() {
        return servers.getFirst();
    }

    void add(int from, int count) {
        List<NewTask> tasks =
                IntStream.range(from, from + count)
                        .mapToObj(
                                number ->
                                        NewTask.of(
                                                new TaskWork.Push(
                                                        TaskMethod.POST,
                                                        "/job",
                                                        List.of(),
                                                        String.valueOf(number)
                                                                .getBytes(StandardCharsets.UTF_8))))
                        .toList();
        dispatchers.open(PROJECT).add(QUEUE, tasks);
    }

    int tasks() {
        return dispatchers.open(PROJECT).statistics(QUEUE, QueueStatistics.Dispatch.NONE).tasks();
    }

    void awaitNoTasks() {
        until("all tasks are done", () -> tasks() == 0);
    }

    static void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + WAIT_MAX.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("within " + WAIT_MAX + ", not: " + what);
            }
            Pause.briefly();
        }
    }

    @Override
    public void close() {
        dispatchers.close();
        servers.forEach(RabbitMqDelivery::close);
        scheduler.close();
        databases.close();
    }
}
