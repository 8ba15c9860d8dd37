package petrichor.frontends.appengine.taskqueue;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueAddRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueBulkAddRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueBulkAddResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueMode;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueServiceError.ErrorCode;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueUpdateQueueRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueUpdateQueueResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.BeginTransactionRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Transaction;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.datastore.DatastoreV3;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.dispatch.Delivery;
import petrichor.services.queues.dispatch.DeliveryResult;
import petrichor.services.queues.dispatch.DispatchLimits;
import petrichor.services.queues.dispatch.Dispatchers;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.scheduling.SystemScheduler;

/** An app with queues and entities, which succeeds with every task. */
final class QueueApp implements AutoCloseable {
    static final String PROJECT = "demo";
    static final ByteString QUEUE = ByteString.copyFromUtf8("default");
    private static final int DELIVERED_WITHIN_S = 60;

    private final RowDatabases databases = new RowDatabases(MemoryStore.open());
    private final SystemScheduler scheduler = new SystemScheduler();
    private final BlockingQueue<Delivery> delivered = new LinkedBlockingQueue<>();
    private final Dispatchers dispatchers;
    private final BundledService datastore;
    private final BundledService tasks;

    QueueApp() {
        Datastore entities = new Datastore(databases, TimeSource.SYSTEM);
        dispatchers =
                new Dispatchers(
                        () -> databases,
                        QueueLimits.DEFAULT,
                        DispatchLimits.DEFAULT,
                        this::deliver,
                        MemoryBudget.unlimited(),
                        TimeSource.SYSTEM,
                        scheduler,
                        new Random(1));
        AppQueues queues = new AppQueues(dispatchers);
        TaskAdditions additions = new TaskAdditions(queues, TimeSource.SYSTEM);
        DatastoreV3 v3 =
                new DatastoreV3(
                        () -> entities,
                        additions,
                        new DatastoreV3.Resources(
                                TransactionLimits.DEFAULT,
                                MemoryBudget.unlimited(),
                                MemoryBudget.unlimited(),
                                TimeSource.SYSTEM,
                                new Random(2)));
        datastore = v3;
        tasks = new TaskQueueApi(queues, additions, v3);
    }

    private CompletableFuture<DeliveryResult> deliver(Delivery delivery) {
        delivered.add(delivery);
        return CompletableFuture.completedFuture(new DeliveryResult.Answered(200));
    }

    /** Waits for the next task. */
    Delivery nextDelivery() throws InterruptedException {
        Delivery next = delivered.poll(DELIVERED_WITHIN_S, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no task was delivered");
        }
        return next;
    }

    <T> T call(String method, MessageLite request, Parser<T> response) {
        return call(CallingApp.of(PROJECT), tasks, method, request, response);
    }

    <T> T datastore(String method, MessageLite request, Parser<T> response) {
        return call(CallingApp.of(PROJECT), datastore, method, request, response);
    }

    /** Throws the failure itself, not the exception that wraps it in the future. */
    private static <T> T call(
            CallingApp app,
            BundledService service,
            String method,
            MessageLite request,
            Parser<T> response) {
        try {
            byte[] answer =
                    service.call(
                                    new ServiceCall(
                                            method,
                                            request.toByteArray(),
                                            app,
                                            Cancellation.never()))
                            .join();
            return response.parseFrom(answer);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    static TaskQueueAddRequest.Builder push(String name) {
        return TaskQueueAddRequest.newBuilder()
                .setQueueName(QUEUE)
                .setTaskName(ByteString.copyFromUtf8(name))
                .setEtaUsec(0)
                .setUrl(ByteString.copyFromUtf8("/job"));
    }

    static TaskQueueAddRequest.Builder pull(String name, String tag) {
        return TaskQueueAddRequest.newBuilder()
                .setQueueName(ByteString.copyFromUtf8("pull"))
                .setTaskName(ByteString.copyFromUtf8(name))
                .setEtaUsec(0)
                .setMode(TaskQueueMode.Mode.PULL)
                .setTag(ByteString.copyFromUtf8(tag))
                .setBody(ByteString.copyFromUtf8("body of " + name));
    }

    TaskQueueBulkAddResponse add(TaskQueueAddRequest.Builder... requests) {
        TaskQueueBulkAddRequest.Builder all = TaskQueueBulkAddRequest.newBuilder();
        for (TaskQueueAddRequest.Builder request : requests) {
            all.addAddRequest(request);
        }
        return call("BulkAdd", all.build(), TaskQueueBulkAddResponse.parser());
    }

    List<ErrorCode> results(TaskQueueAddRequest.Builder... requests) {
        return add(requests).getTaskResultList().stream()
                .map(TaskQueueBulkAddResponse.TaskResult::getResult)
                .toList();
    }

    void define(String queue, TaskQueueMode.Mode mode, double rate) {
        call(
                "UpdateQueue",
                TaskQueueUpdateQueueRequest.newBuilder()
                        .setQueueName(ByteString.copyFromUtf8(queue))
                        .setBucketRefillPerSecond(rate)
                        .setBucketCapacity(5)
                        .setMode(mode)
                        .build(),
                TaskQueueUpdateQueueResponse.parser());
    }

    Transaction begin() {
        return datastore(
                "BeginTransaction",
                BeginTransactionRequest.newBuilder().setApp("s~" + PROJECT).build(),
                Transaction.parser());
    }

    @Override
    public void close() {
        dispatchers.close();
        databases.close();
        scheduler.close();
    }
}
