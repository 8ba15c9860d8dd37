package petrichor.frontends.appengine.taskqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueAddRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueAddResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueBulkAddResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteQueueRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteQueueResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueueStatsRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueueStatsResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueuesRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueuesResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchTaskRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchTaskResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueForceRunRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueForceRunResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueMode;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueModifyTaskLeaseRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueModifyTaskLeaseResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueuePauseQueueRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueuePauseQueueResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueuePurgeQueueRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueuePurgeQueueResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryAndOwnTasksRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryAndOwnTasksResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryTasksRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryTasksResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueRetryParameters;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueServiceError.ErrorCode;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.CommitResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Transaction;
import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.queues.TaskWork;
import petrichor.services.queues.dispatch.Delivery;

class TaskQueueApiTest {
    private static final long HOUR_MICROS = 3_600_000_000L;

    private final QueueApp app = new QueueApp();

    @AfterEach
    void close() {
        app.close();
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    private static void refused(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ServiceError.class,
                        error -> assertThat(error.code()).isEqualTo(code.getNumber()));
    }

    private static long later() {
        return System.currentTimeMillis() * 1_000 + HOUR_MICROS;
    }

    private List<String> names(String queue) {
        return app
                .call(
                        "QueryTasks",
                        TaskQueueQueryTasksRequest.newBuilder()
                                .setQueueName(bytes(queue))
                                .setMaxRows(100)
                                .build(),
                        TaskQueueQueryTasksResponse.parser())
                .getTaskList()
                .stream()
                .map(task -> task.getTaskName().toStringUtf8())
                .toList();
    }

    @Test
    void aTaskIsDeliveredAsTheAppAskedForIt() throws InterruptedException {
        TaskQueueAddRequest.Builder request = QueueApp.push("").setBody(bytes("a=1"));
        request.addHeaderBuilder().setKey(bytes("X-Own")).setValue(bytes("1"));
        TaskQueueAddResponse response =
                app.call("Add", request.build(), TaskQueueAddResponse.parser());
        Delivery delivery = app.nextDelivery();
        assertThat(delivery.task().name()).isEqualTo(response.getChosenTaskName().toStringUtf8());
        TaskWork.Push push = (TaskWork.Push) delivery.task().work();
        assertThat(push.url()).isEqualTo("/job");
        assertThat(push.headers()).containsExactly(new TaskWork.Header("X-Own", "1"));
        assertThat(push.body()).asString().isEqualTo("a=1");
    }

    @Test
    void aTaskWithoutUrlGoesToThatOfItsQueue() throws InterruptedException {
        app.add(QueueApp.push("").clearUrl());
        TaskWork.Push push = (TaskWork.Push) app.nextDelivery().task().work();
        assertThat(push.url()).isEqualTo("/_ah/queue/default");
    }

    @Test
    void aNameIsUsedOnce() throws InterruptedException {
        assertThat(app.results(QueueApp.push("a").setEtaUsec(later())))
                .containsExactly(ErrorCode.OK);
        assertThat(app.results(QueueApp.push("a"), QueueApp.push("b")))
                .containsExactly(ErrorCode.TASK_ALREADY_EXISTS, ErrorCode.OK);
        assertThat(app.nextDelivery().task().name()).isEqualTo("b");
        delete("a");
        assertThat(app.results(QueueApp.push("a"))).containsExactly(ErrorCode.TOMBSTONED_TASK);
        refused(
                ErrorCode.TOMBSTONED_TASK,
                () -> app.call("Add", QueueApp.push("a").build(), TaskQueueAddResponse.parser()));
        refused(
                ErrorCode.DUPLICATE_TASK_NAME,
                () -> app.add(QueueApp.push("c"), QueueApp.push("c")));
    }

    @Test
    void aTaskIsFetchedByItsName() {
        app.add(QueueApp.push("a").setEtaUsec(later()));
        assertThat(fetch("a").getTask().getTask(0).getUrl().toStringUtf8()).isEqualTo("/job");
        refused(ErrorCode.UNKNOWN_TASK, () -> fetch("b"));
    }

    private TaskQueueFetchTaskResponse fetch(String name) {
        return app.call(
                "FetchTask",
                TaskQueueFetchTaskRequest.newBuilder()
                        .setQueueName(QueueApp.QUEUE)
                        .setTaskName(bytes(name))
                        .build(),
                TaskQueueFetchTaskResponse.parser());
    }

    private List<ErrorCode> delete(String... names) {
        TaskQueueDeleteRequest.Builder request =
                TaskQueueDeleteRequest.newBuilder().setQueueName(QueueApp.QUEUE);
        for (String name : names) {
            request.addTaskName(bytes(name));
        }
        return app.call("Delete", request.build(), TaskQueueDeleteResponse.parser())
                .getResultList();
    }

    @Test
    void oneInvalidTaskKeepsTheOthersOutToo() {
        assertThat(
                        app.results(
                                QueueApp.push("a").setEtaUsec(later()),
                                QueueApp.push("not valid"),
                                QueueApp.push("b").setEtaUsec(later())))
                .containsExactly(ErrorCode.SKIPPED, ErrorCode.INVALID_TASK_NAME, ErrorCode.SKIPPED);
        assertThat(names("default")).isEmpty();
    }

    private void invalid(ErrorCode code, TaskQueueAddRequest.Builder request) {
        assertThat(app.results(request)).containsExactly(code);
    }

    @Test
    void invalidTasksHaveTheirOwnCodes() {
        invalid(ErrorCode.INVALID_ETA, QueueApp.push("").setEtaUsec(-1));
        invalid(
                ErrorCode.INVALID_ETA,
                QueueApp.push("").setEtaUsec(later() + 30 * 24 * HOUR_MICROS));
        invalid(ErrorCode.INVALID_URL, QueueApp.push("").setUrl(bytes("http://example.com/")));
        invalid(ErrorCode.INVALID_URL, QueueApp.push("").setUrl(bytes("/a b")));
        invalid(ErrorCode.INVALID_URL, QueueApp.push("").setUrl(bytes("/a#b")));
        invalid(ErrorCode.INVALID_URL, QueueApp.push("").setUrl(bytes("/" + "a".repeat(2_083))));
        invalid(
                ErrorCode.TASK_TOO_LARGE,
                QueueApp.push("").setBody(ByteString.copyFrom(new byte[100 << 10])));
        TaskQueueAddRequest.Builder split = QueueApp.push("");
        split.addHeaderBuilder().setKey(bytes("A")).setValue(bytes("1\r\nB: 2"));
        invalid(ErrorCode.INVALID_REQUEST, split);
        invalid(
                ErrorCode.INVALID_RETRY_PARAMETERS,
                QueueApp.push("")
                        .setRetryParameters(
                                TaskQueueRetryParameters.newBuilder().setRetryLimit(-1)));
        invalid(ErrorCode.INVALID_REQUEST, QueueApp.push("").setDispatchDeadlineUsec(1));
        app.define("pull", TaskQueueMode.Mode.PULL, 0);
        invalid(ErrorCode.INVALID_TAG, QueueApp.pull("", "t".repeat(501)));
    }

    @Test
    void queuesThatCannotTakeATask() {
        refused(
                ErrorCode.UNKNOWN_QUEUE,
                () -> app.add(QueueApp.push("").setQueueName(bytes("unknown"))));
        refused(
                ErrorCode.INVALID_QUEUE_NAME,
                () -> app.add(QueueApp.push("").setQueueName(bytes("not valid"))));
        refused(
                ErrorCode.INVALID_QUEUE_MODE,
                () -> app.add(QueueApp.pull("a", "").setQueueName(QueueApp.QUEUE)));
        refused(
                ErrorCode.PERMISSION_DENIED,
                () -> app.add(QueueApp.push("").setAppId(bytes("s~other"))));
        TaskQueueAddRequest.Builder[] many = new TaskQueueAddRequest.Builder[101];
        java.util.Arrays.setAll(many, i -> QueueApp.push("t" + i));
        refused(ErrorCode.TOO_MANY_TASKS, () -> app.add(many));
    }

    @Test
    void aTransactionalTaskRunsAfterTheCommit() throws InterruptedException {
        Transaction transaction = app.begin();
        TaskQueueBulkAddResponse added = app.add(QueueApp.push("").setTransaction(transaction));
        assertThat(added.getTaskResult(0).getResult()).isEqualTo(ErrorCode.OK);
        assertThat(names("default")).isEmpty();
        // A task that is added later, without a transaction, runs first.
        app.add(QueueApp.push("direct"));
        assertThat(app.nextDelivery().task().name()).isEqualTo("direct");
        app.datastore("Commit", transaction, CommitResponse.parser());
        assertThat(app.nextDelivery().task().name())
                .isEqualTo(added.getTaskResult(0).getChosenTaskName().toStringUtf8());
    }

    @Test
    void aTransactionThatIsRolledBackAddsNothing() {
        Transaction transaction = app.begin();
        app.add(QueueApp.push("").setEtaUsec(later()).setTransaction(transaction));
        app.datastore(
                "Rollback",
                transaction,
                com.google.apphosting.base.protos.api.ApiBasePb.VoidProto.parser());
        assertThat(names("default")).isEmpty();
        refused(
                ErrorCode.DATASTORE_ERROR,
                DatastoreV3Pb.Error.ErrorCode.BAD_REQUEST_VALUE,
                () -> app.add(QueueApp.push("").setTransaction(transaction)));
    }

    private static void refused(ErrorCode base, int code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ServiceError.class,
                        error -> assertThat(error.code()).isEqualTo(base.getNumber() + code));
    }

    @Test
    void aTransactionHasFiveTasksWithoutNames() {
        Transaction transaction = app.begin();
        assertThat(app.results(QueueApp.push("a").setTransaction(transaction)))
                .containsExactly(ErrorCode.INVALID_TASK_NAME);
        TaskQueueAddRequest.Builder[] six = new TaskQueueAddRequest.Builder[6];
        java.util.Arrays.setAll(six, _ -> QueueApp.push("").setTransaction(transaction));
        refused(
                ErrorCode.DATASTORE_ERROR,
                DatastoreV3Pb.Error.ErrorCode.BAD_REQUEST_VALUE,
                () -> app.add(six));
        refused(
                ErrorCode.INVALID_REQUEST,
                () -> app.add(QueueApp.push("").setTransaction(transaction), QueueApp.push("")));
    }

    private TaskQueueQueryAndOwnTasksResponse lease(
            int max, boolean byTag, @org.jspecify.annotations.Nullable String tag) {
        TaskQueueQueryAndOwnTasksRequest.Builder request =
                TaskQueueQueryAndOwnTasksRequest.newBuilder()
                        .setQueueName(bytes("pull"))
                        .setLeaseSeconds(60)
                        .setMaxTasks(max)
                        .setGroupByTag(byTag);
        if (tag != null) {
            request.setTag(bytes(tag));
        }
        return app.call(
                "QueryAndOwnTasks", request.build(), TaskQueueQueryAndOwnTasksResponse.parser());
    }

    private static List<String> leased(TaskQueueQueryAndOwnTasksResponse response) {
        return response.getTaskList().stream()
                .map(task -> task.getTaskName().toStringUtf8())
                .toList();
    }

    @Test
    void pullTasksAreLeasedByTag() {
        app.define("pull", TaskQueueMode.Mode.PULL, 0);
        app.add(QueueApp.pull("a", "x"), QueueApp.pull("b", "y"), QueueApp.pull("c", "x"));
        assertThat(leased(lease(10, true, "y"))).containsExactly("b");
        TaskQueueQueryAndOwnTasksResponse oldest = lease(10, true, null);
        assertThat(leased(oldest)).containsExactlyInAnyOrder("a", "c");
        assertThat(oldest.getTask(0).getTag()).isEqualTo(bytes("x"));
        assertThat(oldest.getTask(0).getRetryCount()).isEqualTo(1);
        assertThat(leased(lease(10, false, null))).isEmpty();
        refused(ErrorCode.INVALID_REQUEST, () -> lease(10, false, "x"));
        refused(ErrorCode.INVALID_REQUEST, () -> lease(0, false, null));
    }

    private long modify(String task, long eta, double seconds) {
        return app.call(
                        "ModifyTaskLease",
                        TaskQueueModifyTaskLeaseRequest.newBuilder()
                                .setQueueName(bytes("pull"))
                                .setTaskName(bytes(task))
                                .setEtaUsec(eta)
                                .setLeaseSeconds(seconds)
                                .build(),
                        TaskQueueModifyTaskLeaseResponse.parser())
                .getUpdatedEtaUsec();
    }

    @Test
    void aLeaseBelongsToWhoKnowsItsEnd() {
        app.define("pull", TaskQueueMode.Mode.PULL, 0);
        app.add(QueueApp.pull("a", ""));
        long end = lease(1, false, null).getTask(0).getEtaUsec();
        long extended = modify("a", end, 600);
        assertThat(extended).isGreaterThan(end);
        refused(ErrorCode.TASK_LEASE_EXPIRED, () -> modify("a", end, 600));
        refused(ErrorCode.UNKNOWN_TASK, () -> modify("b", end, 600));
        modify("a", extended, 0);
        assertThat(leased(lease(1, false, null))).containsExactly("a");
        pause("pull", true);
        refused(ErrorCode.QUEUE_PAUSED, () -> modify("a", end, 600));
        refused(
                ErrorCode.INVALID_QUEUE_MODE,
                () ->
                        app.call(
                                "QueryAndOwnTasks",
                                TaskQueueQueryAndOwnTasksRequest.newBuilder()
                                        .setQueueName(QueueApp.QUEUE)
                                        .setLeaseSeconds(1)
                                        .setMaxTasks(1)
                                        .build(),
                                TaskQueueQueryAndOwnTasksResponse.parser()));
    }

    private void pause(String queue, boolean paused) {
        app.call(
                "PauseQueue",
                TaskQueuePauseQueueRequest.newBuilder()
                        .setAppId(bytes("s~demo"))
                        .setQueueName(bytes(queue))
                        .setPause(paused)
                        .build(),
                TaskQueuePauseQueueResponse.parser());
    }

    @Test
    void queuesAreListedWithTheirSettings() {
        app.define("fast", TaskQueueMode.Mode.PUSH, 20);
        TaskQueueFetchQueuesResponse all =
                app.call(
                        "FetchQueues",
                        TaskQueueFetchQueuesRequest.newBuilder().setMaxRows(10).build(),
                        TaskQueueFetchQueuesResponse.parser());
        assertThat(all.getQueueList())
                .extracting(TaskQueueFetchQueuesResponse.Queue::getQueueName)
                .containsExactly(bytes("default"), bytes("fast"));
        assertThat(all.getQueue(1).getBucketRefillPerSecond()).isEqualTo(20);
        refused(
                ErrorCode.INVALID_QUEUE_RATE,
                () -> app.define("fast", TaskQueueMode.Mode.PUSH, -1));
        refused(ErrorCode.INVALID_QUEUE_MODE, () -> app.define("fast", TaskQueueMode.Mode.PULL, 0));
    }

    private TaskQueueFetchQueueStatsResponse.QueueStats statistics(String queue) {
        return app.call(
                        "FetchQueueStats",
                        TaskQueueFetchQueueStatsRequest.newBuilder()
                                .addQueueName(bytes(queue))
                                .build(),
                        TaskQueueFetchQueueStatsResponse.parser())
                .getQueueStats(0);
    }

    @Test
    void statisticsOfAPullQueueDescribeItsDeliveryToo() {
        app.define("pull", TaskQueueMode.Mode.PULL, 0);
        assertThat(statistics("pull").getScannerInfo().hasEnforcedRate()).isTrue();
        assertThat(statistics("pull").getScannerInfo().hasRequestsInFlight()).isTrue();
    }

    @Test
    void aPausedQueueIsPurgedAndDeleted() {
        pause("default", true);
        app.add(QueueApp.push("a"), QueueApp.push("b"));
        assertThat(statistics("default").getNumTasks()).isEqualTo(2);
        assertThat(statistics("default").getOldestEtaUsec()).isPositive();
        assertThat(statistics("default").getScannerInfo().getEnforcedRate()).isZero();
        assertThat(delete("a", "z")).containsExactly(ErrorCode.OK, ErrorCode.UNKNOWN_TASK);
        assertThat(delete("a")).containsExactly(ErrorCode.TOMBSTONED_TASK);
        purge("default");
        assertThat(statistics("default").getNumTasks()).isZero();
        assertThat(statistics("default").getOldestEtaUsec()).isEqualTo(-1);
        app.define("other", TaskQueueMode.Mode.PUSH, 1);
        app.call(
                "DeleteQueue",
                TaskQueueDeleteQueueRequest.newBuilder()
                        .setAppId(bytes("demo"))
                        .setQueueName(bytes("other"))
                        .build(),
                TaskQueueDeleteQueueResponse.parser());
        refused(ErrorCode.UNKNOWN_QUEUE, () -> statistics("other"));
    }

    private void purge(String queue) {
        call(
                "PurgeQueue",
                TaskQueuePurgeQueueRequest.newBuilder().setQueueName(bytes(queue)).build(),
                TaskQueuePurgeQueueResponse.parser());
    }

    private <T> void call(String method, MessageLite request, Parser<T> response) {
        assertThat(app.call(method, request, response)).isNotNull();
    }

    @Test
    void aTaskIsRunOnRequest() throws InterruptedException {
        app.add(QueueApp.push("a").setEtaUsec(later()));
        assertThat(run("a")).isEqualTo(ErrorCode.OK);
        assertThat(app.nextDelivery().task().name()).isEqualTo("a");
        assertThat(run("b")).isEqualTo(ErrorCode.UNKNOWN_TASK);
    }

    private ErrorCode run(String task) {
        return app.call(
                        "ForceRun",
                        TaskQueueForceRunRequest.newBuilder()
                                .setQueueName(QueueApp.QUEUE)
                                .setTaskName(bytes(task))
                                .build(),
                        TaskQueueForceRunResponse.parser())
                .getResult();
    }

    @Test
    void tasksAreFoundByEtaAndTag() {
        app.define("pull", TaskQueueMode.Mode.PULL, 0);
        long eta = later();
        app.add(
                QueueApp.pull("b", "x").setEtaUsec(eta),
                QueueApp.pull("a", "x").setEtaUsec(eta + 1),
                QueueApp.pull("c", "y").setEtaUsec(eta + 2));
        TaskQueueQueryTasksRequest.Builder request =
                TaskQueueQueryTasksRequest.newBuilder().setQueueName(bytes("pull")).setMaxRows(10);
        assertThat(query(request.clone().setStartEtaUsec(eta + 1))).containsExactly("a", "c");
        assertThat(query(request.clone().setStartTag(bytes("x")))).containsExactly("b", "a");
        assertThat(query(request.clone().setStartTaskName(bytes("b")))).containsExactly("b", "c");
        refused(ErrorCode.INVALID_REQUEST, () -> query(request.clone().setMaxRows(0)));
    }

    private List<String> query(TaskQueueQueryTasksRequest.Builder request) {
        return app
                .call("QueryTasks", request.build(), TaskQueueQueryTasksResponse.parser())
                .getTaskList()
                .stream()
                .map(task -> task.getTaskName().toStringUtf8())
                .toList();
    }

    @Test
    void unknownMethods() {
        assertThatThrownBy(
                        () ->
                                app.call(
                                        "Nothing",
                                        TaskQueueFetchQueuesRequest.newBuilder()
                                                .setMaxRows(1)
                                                .build(),
                                        TaskQueueFetchQueuesResponse.parser()))
                .isInstanceOf(PetrichorException.class);
    }
}
