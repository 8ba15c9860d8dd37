package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueueStatsRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueueStatsResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueRetryParameters;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueUpdateQueueRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueUpdateQueueResponse;
import com.google.apphosting.base.protos.api.ApiBasePb.VoidProto;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.BeginTransactionRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.CommitResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.GetRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.GetResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.PutRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.PutResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Transaction;
import com.google.protobuf.ByteString;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.EntityProto;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Path.Element;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Reference;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.coordination.testkit.Wait;

/**
 * Kills a server while apps commit transactions that put an entity and add a task. In the end, the
 * task of every entity has arrived, and no task whose transaction did not commit. The app sees the
 * entity when its task arrives.
 */
class TransactionalTasksTest {
    private static final String ID = "s~demo";
    private static final int WRITERS = 3;
    private static final int ACKNOWLEDGED_BEFORE_KILL = 40;
    private static final int OK = 200;
    private static final int RETRY = 503;

    /** Of five transactions, one is rolled back and one is abandoned. */
    private static final int KINDS = 5;

    @TempDir Path folder;

    private final TestApp app = new TestApp();
    private final AtomicLong lastId = new AtomicLong();
    private final AtomicReference<@Nullable ServerProcess> running = new AtomicReference<>();

    /** Transactions whose commit was sent, and those of them that were acknowledged. */
    private final Set<Long> commits = ConcurrentHashMap.newKeySet();

    private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
    private final Set<Long> arrived = ConcurrentHashMap.newKeySet();
    private final Set<String> mistakes = ConcurrentHashMap.newKeySet();

    @AfterEach
    void close() {
        app.close();
    }

    @Test
    void noneIsLostAndNoneIsEarlyOverAKill() throws Exception {
        killRepeatedly(1);
    }

    @Tag("slow")
    @Test
    void noneIsLostAndNoneIsEarlyOverAHundredKills() throws Exception {
        killRepeatedly(100);
    }

    private void killRepeatedly(int rounds) throws Exception {
        app.handle(this::execute);
        for (int round = 0; round < rounds; round++) {
            try (ServerProcess server = start()) {
                writeUntilKilled(server);
            }
            assertThat(mistakes).as("round " + round).isEmpty();
        }
        try (ServerProcess server = start()) {
            BundledCalls calls = calls(server);
            Wait.until("all tasks have run", Duration.ofMinutes(5), () -> tasks(calls) == 0);
            assertThat(mistakes).isEmpty();
            assertThat(arrived).containsAll(acknowledged);
            for (long id : commits) {
                assertThat(arrived.contains(id)).as("task %d", id).isEqualTo(exists(calls, id));
            }
            assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(rounds * ACKNOWLEDGED_BEFORE_KILL);
        }
    }

    private ServerProcess start() throws IOException {
        ServerProcess server =
                ServerProcess.start(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("server.log").toFile()),
                        folder.resolve("data"),
                        app.url());
        calls(server)
                .call(
                        "taskqueue",
                        "UpdateQueue",
                        TaskQueueUpdateQueueRequest.newBuilder()
                                .setQueueName(ByteString.copyFromUtf8("default"))
                                .setBucketRefillPerSecond(1_000)
                                .setBucketCapacity(100)
                                .setRetryParameters(
                                        TaskQueueRetryParameters.newBuilder().setMaxBackoffSec(1))
                                .build(),
                        TaskQueueUpdateQueueResponse.parser());
        running.set(server);
        return server;
    }

    private static BundledCalls calls(ServerProcess server) {
        return new BundledCalls(server.port(), "demo/ticket");
    }

    private void writeUntilKilled(ServerProcess server) throws InterruptedException {
        CountDownLatch writes = new CountDownLatch(ACKNOWLEDGED_BEFORE_KILL);
        Thread[] writers = new Thread[WRITERS];
        for (int i = 0; i < WRITERS; i++) {
            writers[i] = Thread.ofVirtual().start(() -> write(calls(server), writes));
        }
        writes.await();
        server.kill();
        for (Thread writer : writers) {
            writer.join();
        }
    }

    private void write(BundledCalls calls, CountDownLatch writes) {
        try {
            while (true) {
                long id = lastId.incrementAndGet();
                Transaction transaction = prepare(calls, id);
                switch ((int) (id % KINDS)) {
                    case 0 ->
                            calls.call("datastore_v3", "Rollback", transaction, VoidProto.parser());
                    case 1 -> {
                        // Abandoned: the transaction stays open.
                    }
                    default -> {
                        commits.add(id);
                        calls.call("datastore_v3", "Commit", transaction, CommitResponse.parser());
                        acknowledged.add(id);
                        writes.countDown();
                    }
                }
            }
        } catch (IOException killed) {
            // The writers of the next round continue with other ids.
        }
    }

    private static Transaction prepare(BundledCalls calls, long id) throws IOException {
        Transaction transaction =
                calls.call(
                        "datastore_v3",
                        "BeginTransaction",
                        BeginTransactionRequest.newBuilder().setApp(ID).build(),
                        Transaction.parser());
        var _ =
                calls.call(
                        "datastore_v3",
                        "Put",
                        PutRequest.newBuilder()
                                .addEntity(
                                        EntityProto.newBuilder()
                                                .setKey(key(id))
                                                .setEntityGroup(key(id).getPath()))
                                .setTransaction(transaction)
                                .build(),
                        PutResponse.parser());
        var _ = calls.addTask(BundledCalls.task(String.valueOf(id)).setTransaction(transaction));
        return transaction;
    }

    private static Reference key(long id) {
        Reference.Builder key = Reference.newBuilder().setApp(ID);
        key.getPathBuilder().addElement(Element.newBuilder().setType("Order").setId(id));
        return key.build();
    }

    private static boolean exists(BundledCalls calls, long id) throws IOException {
        return calls.call(
                        "datastore_v3",
                        "Get",
                        GetRequest.newBuilder().addKey(key(id)).build(),
                        GetResponse.parser())
                .getEntity(0)
                .hasEntity();
    }

    private int execute(TestApp.Arrival arrival) {
        long id = Long.parseLong(arrival.body());
        if (!commits.contains(id)) {
            mistakes.add("the task " + id + " ran without a commit");
        }
        ServerProcess server = running.get();
        try {
            if (server == null || !exists(calls(server), id)) {
                mistakes.add("the task " + id + " ran before its entity existed");
            }
        } catch (IOException killed) {
            return RETRY;
        }
        arrived.add(id);
        return OK;
    }

    private static int tasks(BundledCalls calls) {
        try {
            return calls.call(
                            "taskqueue",
                            "FetchQueueStats",
                            TaskQueueFetchQueueStatsRequest.newBuilder()
                                    .addQueueName(ByteString.copyFromUtf8("default"))
                                    .build(),
                            TaskQueueFetchQueueStatsResponse.parser())
                    .getQueueStats(0)
                    .getNumTasks();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
