package petrichor.frontends.appengine.taskqueue;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueAddRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueAddResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueBulkAddRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueBulkAddResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueBulkAddResponse.TaskResult;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueMode;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueServiceError.ErrorCode;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceError;
import petrichor.frontends.appengine.datastore.TransactionalActions;
import petrichor.frontends.appengine.datastore.TransactionalWork;
import petrichor.services.queues.AddResult;
import petrichor.services.queues.NewTask;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueMode;
import petrichor.services.queues.TaskBatch;

/**
 * {@code Add} and {@code BulkAdd}. If any task of a call is not valid, none is added, and the
 * others are SKIPPED. Also the task queue of the datastore's {@code AddActions}. Thread-safe.
 */
public final class TaskAdditions implements TransactionalActions {
    /** Tasks in one call, as SDKs limit them. */
    private static final int TASKS_MAX = 100;

    /** Of a call in a transaction, as SDKs limit it. */
    private static final int TRANSACTIONAL_BYTES_MAX = 1 << 20;

    private final AppQueues queues;
    private final TimeSource time;

    public TaskAdditions(AppQueues queues, TimeSource time) {
        this.queues = queues;
        this.time = time;
    }

    /** Adds work to the open transaction that a task names. */
    @FunctionalInterface
    public interface TransactionWork {
        /**
         * @param task whose transaction it is
         * @param tasks number of tasks of the work
         * @throws ServiceError with a code of the datastore
         */
        void add(CallingApp app, TaskQueueAddRequest task, int tasks, TransactionalWork work);
    }

    TaskQueueAddResponse add(
            CallingApp app, TaskQueueAddRequest request, TransactionWork transactions) {
        TaskResult result =
                add(
                                app,
                                TaskQueueBulkAddRequest.newBuilder().addAddRequest(request).build(),
                                transactions)
                        .getTaskResult(0);
        if (result.getResult() != ErrorCode.OK) {
            throw TaskQueueErrors.of(result.getResult(), "The task was not added.");
        }
        TaskQueueAddResponse.Builder response = TaskQueueAddResponse.newBuilder();
        if (result.hasChosenTaskName()) {
            response.setChosenTaskName(result.getChosenTaskName());
        }
        return response.build();
    }

    TaskQueueBulkAddResponse add(
            CallingApp app, TaskQueueBulkAddRequest request, TransactionWork transactions) {
        if (request.getAddRequestCount() == 0) {
            return TaskQueueBulkAddResponse.getDefaultInstance();
        }
        Batch batch = checked(app, request);
        if (batch.refused()) {
            return batch.response.build();
        }
        if (batch.first().hasTransaction()) {
            addInTransaction(app, batch, transactions);
        } else {
            addNow(batch);
        }
        return batch.response.build();
    }

    /** The tasks of one call; those that are not valid have their result already. */
    private record Batch(
            ProjectQueues queues,
            Queue queue,
            List<TaskQueueAddRequest> requests,
            List<NewTask> tasks,
            TaskQueueBulkAddResponse.Builder response) {
        TaskQueueAddRequest first() {
            return requests.getFirst();
        }

        boolean refused() {
            return response.getTaskResultCount() > 0;
        }

        void add(int place, ErrorCode result, String name) {
            TaskResult.Builder task = response.addTaskResultBuilder().setResult(result);
            if (result == ErrorCode.OK && tasks.get(place).name().isEmpty()) {
                task.setChosenTaskName(ByteString.copyFromUtf8(name));
            }
        }
    }

    private Batch checked(CallingApp app, TaskQueueBulkAddRequest request) {
        List<TaskQueueAddRequest> requests = request.getAddRequestList();
        if (requests.size() > TASKS_MAX) {
            throw TaskQueueErrors.of(
                    ErrorCode.TOO_MANY_TASKS,
                    "A call adds at most " + TASKS_MAX + " tasks, not " + requests.size() + ".");
        }
        requireAlike(app, requests);
        if (requests.getFirst().hasTransaction()
                && request.getSerializedSize() > TRANSACTIONAL_BYTES_MAX) {
            throw TaskQueueErrors.of(
                    ErrorCode.TRANSACTIONAL_REQUEST_TOO_LARGE,
                    "The tasks of one call in a transaction have at most "
                            + TRANSACTIONAL_BYTES_MAX
                            + " bytes.");
        }
        ProjectQueues ofApp = queues.of(app);
        Queue queue = AppQueues.require(ofApp, requests.getFirst().getQueueName());
        QueueMode mode =
                requests.getFirst().getMode() == TaskQueueMode.Mode.PULL
                        ? QueueMode.PULL
                        : QueueMode.PUSH;
        if (queue.mode() != mode) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_QUEUE_MODE,
                    "The queue "
                            + queue.name()
                            + " is a "
                            + (queue.mode() == QueueMode.PULL ? "pull" : "push")
                            + " queue; add the task to another one.");
        }
        List<NewTask> tasks = new ArrayList<>(requests.size());
        TaskQueueBulkAddResponse.Builder response = TaskQueueBulkAddResponse.newBuilder();
        List<ErrorCode> results = new ArrayList<>(requests.size());
        for (TaskQueueAddRequest each : requests) {
            try {
                tasks.add(task(each, queue.name()));
                results.add(ErrorCode.SKIPPED);
            } catch (ServiceError invalid) {
                results.add(ErrorCode.forNumber(invalid.code()));
            }
        }
        if (tasks.size() < requests.size()) {
            results.forEach(result -> response.addTaskResultBuilder().setResult(result));
        }
        return new Batch(ofApp, queue, requests, tasks, response);
    }

    private NewTask task(TaskQueueAddRequest request, String queue) {
        if (request.hasTransaction() && !request.getTaskName().isEmpty()) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_TASK_NAME,
                    "A task that a transaction adds cannot have a name.");
        }
        return TaskRequests.task(request, queue, time.epochMicros());
    }

    private static void requireAlike(CallingApp app, List<TaskQueueAddRequest> requests) {
        TaskQueueAddRequest first = requests.getFirst();
        Set<ByteString> names = new HashSet<>();
        for (TaskQueueAddRequest each : requests) {
            AppQueues.requireApp(app, each.getAppId());
            if (each.hasDatastoreTransaction()) {
                throw TaskQueueErrors.of(
                        ErrorCode.INVALID_REQUEST,
                        "Tasks can be added in transactions of datastore_v3 only, not in those of"
                                + " Cloud Datastore.");
            }
            if (!each.getQueueName().equals(first.getQueueName())
                    || each.hasTransaction() != first.hasTransaction()
                    || !each.getTransaction().equals(first.getTransaction())
                    || each.getMode() != first.getMode()) {
                throw TaskQueueErrors.of(
                        ErrorCode.INVALID_REQUEST,
                        "The tasks of one call go to one queue, in one transaction or in none.");
            }
            if (!each.getTaskName().isEmpty() && !names.add(each.getTaskName())) {
                throw TaskQueueErrors.of(
                        ErrorCode.DUPLICATE_TASK_NAME,
                        "Two tasks of the call have the name "
                                + each.getTaskName().toStringUtf8()
                                + ".");
            }
        }
    }

    private static void addNow(Batch batch) {
        List<AddResult> results = batch.queues().add(batch.queue().name(), batch.tasks());
        for (int i = 0; i < results.size(); i++) {
            switch (results.get(i)) {
                case AddResult.Added(var task) -> batch.add(i, ErrorCode.OK, task.name());
                case AddResult.AlreadyExists _ -> batch.add(i, ErrorCode.TASK_ALREADY_EXISTS, "");
                case AddResult.Tombstoned _ -> batch.add(i, ErrorCode.TOMBSTONED_TASK, "");
            }
        }
    }

    private static void addInTransaction(
            CallingApp app, Batch batch, TransactionWork transactions) {
        TaskBatch rows = batch.queues().prepare(batch.queue().name(), batch.tasks());
        try {
            transactions.add(app, batch.first(), batch.tasks().size(), work(rows));
        } catch (ServiceError ofDatastore) {
            throw TaskQueueErrors.ofDatastore(ofDatastore);
        }
        for (int i = 0; i < batch.tasks().size(); i++) {
            batch.add(i, ErrorCode.OK, rows.tasks().get(i).name());
        }
    }

    private static TransactionalWork work(TaskBatch batch) {
        return new TransactionalWork(batch.rows(), batch.committed());
    }

    /** For AddActions, which names the transaction itself. */
    @Override
    public TransactionalWork prepare(CallingApp app, TaskQueueBulkAddRequest request) {
        Batch batch;
        try {
            batch = checked(app, request);
        } catch (ServiceError invalid) {
            throw invalid(invalid.detail());
        }
        if (batch.refused()) {
            throw invalid(
                    batch.response().getTaskResultList().stream()
                            .map(result -> result.getResult().name())
                            .collect(Collectors.joining(", ")));
        }
        return work(batch.queues().prepare(batch.queue().name(), batch.tasks()));
    }

    private static PetrichorException invalid(String reason) {
        return PetrichorException.invalid(
                "The tasks of a transaction are not valid: {reason}", "reason", reason);
    }
}
