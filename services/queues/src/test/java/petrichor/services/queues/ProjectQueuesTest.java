package petrichor.services.queues;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.queues.QueueRows.Due;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;

class ProjectQueuesTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final SimulatedClock clock = new SimulatedClock();
    private final List<Due> hints = new ArrayList<>();
    private RowDatabases databases;
    private ProjectQueues queues;

    @BeforeEach
    void open() {
        databases =
                new RowDatabases(
                        RoutedStores.of(MemoryStore.open()),
                        TransactionLimits.DEFAULT,
                        clock,
                        new Random(1),
                        clock);
        queues = queues(databases.open("demo"));
    }

    private ProjectQueues queues(Database database) {
        return new ProjectQueues(
                database,
                QueueLimits.DEFAULT,
                new QueueListener() {
                    @Override
                    public void added(String queue, List<Due> tasks) {
                        hints.addAll(tasks);
                    }

                    @Override
                    public void changed(String queue) {}
                },
                clock,
                new Random(2));
    }

    @AfterEach
    void close() {
        databases.close();
    }

    private static NewTask push(String name) {
        return NewTask.of(
                        new TaskWork.Push(
                                TaskMethod.POST,
                                "/job",
                                List.of(new TaskWork.Header("x-one", "1")),
                                "body".getBytes(UTF_8)))
                .named(name);
    }

    private static NewTask pull(String name, String tag) {
        return NewTask.of(TaskWork.Pull.of(tag, name.getBytes(UTF_8))).named(name);
    }

    private static List<String> names(List<Task> tasks) {
        return tasks.stream().map(Task::name).toList();
    }

    @Test
    void theDefaultQueueIsCreatedOnFirstUseAndOthersAreUnknown() {
        assertThat(queues.queues()).isEmpty();
        queues.add("default", List.of(push("")));
        assertThat(queues.queues()).containsExactly(Queue.push("default"));
        fails(ErrorCode.NOT_FOUND, "no queue other", () -> queues.add("other", List.of(push(""))));
        fails(
                ErrorCode.NOT_FOUND,
                "did you mean default",
                () -> queues.add("defualt", List.of(push(""))));
    }

    @Test
    void aTaskIsStoredWithItsContent() {
        List<AddResult> results = queues.add("default", List.of(push("a")));
        assertThat(results).hasSize(1).allMatch(AddResult.Added.class::isInstance);
        Task task = queues.task("default", "a").orElseThrow();
        assertThat(task.state().etaMicros()).isEqualTo(clock.epochMicros());
        assertThat(task.state().named()).isTrue();
        assertThat(task.work())
                .isInstanceOfSatisfying(
                        TaskWork.Push.class,
                        work -> {
                            assertThat(work.url()).isEqualTo("/job");
                            assertThat(work.method()).isEqualTo(TaskMethod.POST);
                            assertThat(work.headers())
                                    .containsExactly(new TaskWork.Header("x-one", "1"));
                            assertThat(work.body()).isEqualTo("body".getBytes(UTF_8));
                        });
        assertThat(hints).containsExactly(new Due(clock.epochMicros(), "a"));
    }

    @Test
    void aNameIsUsedOnceUntilItsTombstoneEnds() {
        queues.add("default", List.of(push("a")));
        List<AddResult> results = queues.add("default", List.of(push("a"), push("b")));
        assertThat(results.getFirst()).isEqualTo(new AddResult.AlreadyExists("a"));
        assertThat(results.getLast()).isInstanceOf(AddResult.Added.class);
        assertThat(queues.deleteTasks("default", List.of("a", "c")))
                .containsExactly(DeleteResult.DELETED, DeleteResult.UNKNOWN);
        assertThat(queues.add("default", List.of(push("a"))))
                .containsExactly(new AddResult.Tombstoned("a"));
        assertThat(queues.deleteTasks("default", List.of("a")))
                .containsExactly(DeleteResult.TOMBSTONED);
        clock.advance(QueueLimits.DEFAULT.tombstone().minusSeconds(1));
        assertThat(queues.add("default", List.of(push("a"))))
                .containsExactly(new AddResult.Tombstoned("a"));
        clock.advance(Duration.ofSeconds(1));
        assertThat(queues.add("default", List.of(push("a"))).getFirst())
                .isInstanceOf(AddResult.Added.class);
    }

    @Test
    void oneCallCannotAddANameTwice() {
        List<AddResult> results = queues.add("default", List.of(push("a"), push("a")));
        assertThat(results.getFirst()).isInstanceOf(AddResult.Added.class);
        assertThat(results.getLast()).isEqualTo(new AddResult.AlreadyExists("a"));
    }

    @Test
    void endedTombstonesAreRemovedWithTheirRows() {
        queues.add("default", List.of(push("a"), push("b")));
        queues.deleteTasks("default", List.of("a", "b"));
        clock.advance(QueueLimits.DEFAULT.tombstone());
        queues.add("default", List.of(push("b")));
        assertThat(queues.forgetTombstones()).isFalse();
        assertThat(queues.add("default", List.of(push("b"))))
                .containsExactly(new AddResult.AlreadyExists("b"));
        queues.deleteTasks("default", List.of("b"));
        clock.advance(QueueLimits.DEFAULT.tombstone());
        queues.forgetTombstones();
        queues.delete("default");
        assertThat(rowCount()).isZero();
    }

    @Test
    void aNameThatWasUsedAgainKeepsItsNewTombstone() {
        queues.add("default", List.of(push("a")));
        queues.deleteTasks("default", List.of("a"));
        clock.advance(QueueLimits.DEFAULT.tombstone());
        queues.add("default", List.of(push("a")));
        queues.deleteTasks("default", List.of("a"));
        queues.forgetTombstones();
        assertThat(queues.add("default", List.of(push("a"))))
                .containsExactly(new AddResult.Tombstoned("a"));
    }

    private int rowCount() {
        int count = 0;
        try (Snapshot snapshot = databases.open("demo").snapshot();
                RowCursor rows = snapshot.scan(QueueRows.all(), petrichor.kv.Direction.FORWARD)) {
            while (rows.next()) {
                count++;
            }
        }
        return count;
    }

    @Test
    void tasksWithoutNamesLeaveNoRows() {
        queues.add("default", List.of(push(""), push("").at(clock.epochMicros() + 1_000_000)));
        List<Task> tasks = queues.tasksByEta("default", new Due(0, ""), 10);
        assertThat(tasks).hasSize(2);
        queues.deleteTasks("default", names(tasks));
        assertThat(rowCount()).as("the definition of the queue").isEqualTo(1);
    }

    @Test
    void limitsAreEnforced() {
        byte[] large = new byte[100 << 10];
        fails(
                ErrorCode.INVALID_ARGUMENT,
                "at most 102400",
                () ->
                        queues.add(
                                "default",
                                List.of(
                                        NewTask.of(
                                                new TaskWork.Push(
                                                        TaskMethod.POST,
                                                        "/job",
                                                        List.of(),
                                                        large)))));
        fails(
                ErrorCode.INVALID_ARGUMENT,
                "in the future",
                () ->
                        queues.add(
                                "default",
                                List.of(push("").at(clock.epochMicros() + 31L * 86_400_000_000L))));
        fails(
                ErrorCode.INVALID_ARGUMENT,
                "The name of a task",
                () -> queues.add("default", List.of(push("a b"))));
        fails(
                ErrorCode.INVALID_ARGUMENT,
                "A call adds at most",
                () ->
                        queues.add(
                                "default",
                                Collections.nCopies(
                                        QueueLimits.DEFAULT.tasksPerCallMax() + 1, push(""))));
        fails(
                ErrorCode.FAILED_PRECONDITION,
                "takes push tasks",
                () -> queues.add("default", List.of(pull("a", ""))));
        queues.define(List.of(Queue.pull("pull")));
        NewTask mebibyte = NewTask.of(TaskWork.Pull.of("", new byte[1 << 20]));
        assertThat(queues.add("pull", List.of(mebibyte)).getFirst())
                .isInstanceOf(AddResult.Added.class);
        fails(
                ErrorCode.INVALID_ARGUMENT,
                "at most 1048576",
                () ->
                        queues.add(
                                "pull",
                                List.of(
                                        NewTask.of(
                                                TaskWork.Pull.of("", new byte[(1 << 20) + 1])))));
    }

    @Test
    void aBatchIsAddedByTheCommitOfItsTransactionOnly() {
        queues.require("default");
        TaskBatch batch = queues.prepare("default", List.of(push(""), push("")));
        assertThat(queues.tasksByEta("default", new Due(0, ""), 10)).isEmpty();
        Database database = databases.open("demo");
        CommitResult result;
        try (Snapshot snapshot = database.snapshot()) {
            result =
                    database.commit(
                                    new CommitRequest(
                                            snapshot.version(),
                                            List.of(),
                                            List.of(),
                                            List.of(),
                                            batch.rows()))
                            .join();
        }
        assertThat(result).isInstanceOf(CommitResult.Committed.class);
        assertThat(hints).isEmpty();
        batch.committed().run();
        assertThat(hints).hasSize(2);
        assertThat(names(queues.tasksByEta("default", new Due(0, ""), 10)))
                .containsExactlyInAnyOrderElementsOf(
                        batch.tasks().stream().map(Task::name).toList());
        fails(
                ErrorCode.INVALID_ARGUMENT,
                "cannot have a name",
                () -> queues.prepare("default", List.of(push("a"))));
        String chosen = queues.newTaskName();
        assertThat(queues.prepare("default", List.of(push(chosen))).tasks().getFirst().state())
                .returns(false, TaskState::named);
        fails(
                ErrorCode.ALREADY_EXISTS,
                "has a task",
                () -> queues.prepare("default", List.of(push(batch.tasks().getFirst().name()))));
    }

    @Test
    void aLeaseHidesTasksUntilItEnds() {
        queues.define(List.of(Queue.pull("pull")));
        for (String name : List.of("a", "b", "c")) {
            queues.add("pull", List.of(pull(name, "")));
            clock.advance(Duration.ofMillis(1));
        }
        List<Task> leased = queues.lease("pull", 2, MINUTE);
        assertThat(names(leased)).containsExactly("a", "b");
        assertThat(leased.getFirst().state().etaMicros())
                .isEqualTo(clock.epochMicros() + 60_000_000);
        assertThat(names(queues.lease("pull", 5, MINUTE))).containsExactly("c");
        assertThat(queues.lease("pull", 5, MINUTE)).isEmpty();
        queues.deleteTasks("pull", List.of("a"));
        clock.advance(MINUTE);
        List<Task> again = queues.lease("pull", 5, MINUTE);
        assertThat(names(again)).containsExactlyInAnyOrder("b", "c");
        assertThat(again).allMatch(task -> task.state().attempts().retries() == 2);
    }

    @Test
    void pullTasksAreLeasedInTheOrderOfEtasInThePast() {
        queues.define(List.of(Queue.pull("pull")));
        long now = clock.epochMicros();
        queues.add("pull", List.of(pull("b", "").at(now - 1_000), pull("c", "")));
        queues.add("pull", List.of(pull("a", "").at(now - 2_000)));
        assertThat(names(queues.lease("pull", 3, MINUTE))).containsExactly("a", "b", "c");
    }

    @Test
    void leasesByTag() {
        queues.define(List.of(Queue.pull("pull")));
        for (String name : List.of("a-x", "b-y", "c-x", "d-", "e-y")) {
            queues.add("pull", List.of(pull(name, name.substring(2))));
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(names(queues.leaseByTag("pull", 1, MINUTE, "y".getBytes(UTF_8))))
                .containsExactly("b-y");
        assertThat(names(queues.leaseByOldestTag("pull", 9, MINUTE))).containsExactly("a-x", "c-x");
        assertThat(names(queues.leaseByOldestTag("pull", 9, MINUTE))).containsExactly("d-");
        assertThat(names(queues.leaseByOldestTag("pull", 9, MINUTE))).containsExactly("e-y");
        assertThat(queues.leaseByOldestTag("pull", 9, MINUTE)).isEmpty();
        assertThat(names(queues.tasksByTag("pull", "x", 9))).containsExactly("a-x", "c-x");
    }

    @Test
    void aLeaseIsChangedByItsHolderOnly() {
        queues.define(List.of(Queue.pull("pull")));
        queues.add("pull", List.of(pull("a", "x")));
        long eta = queues.lease("pull", 1, MINUTE).getFirst().state().etaMicros();
        assertThat(queues.modifyLease("pull", "a", eta - 1, MINUTE))
                .isEqualTo(new LeaseResult.Expired());
        assertThat(queues.modifyLease("pull", "b", eta, MINUTE))
                .isEqualTo(new LeaseResult.Unknown());
        clock.advance(Duration.ofSeconds(30));
        long longer = clock.epochMicros() + 60_000_000;
        assertThat(queues.modifyLease("pull", "a", eta, MINUTE))
                .isEqualTo(new LeaseResult.Changed(longer));
        clock.advance(Duration.ofSeconds(40));
        assertThat(queues.lease("pull", 1, MINUTE)).isEmpty();
        assertThat(queues.modifyLease("pull", "a", longer, Duration.ZERO))
                .isEqualTo(new LeaseResult.Changed(clock.epochMicros()));
        assertThat(names(queues.leaseByOldestTag("pull", 1, MINUTE))).containsExactly("a");
        clock.advance(MINUTE);
        assertThat(queues.modifyLease("pull", "a", clock.epochMicros(), MINUTE))
                .isEqualTo(new LeaseResult.Expired());
    }

    @Test
    void aPullTaskThatIsLeasedTooOftenMovesToTheDeadLetters() {
        RetryPolicy twice =
                new RetryPolicy(
                        java.util.OptionalInt.of(2),
                        java.util.Optional.empty(),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        0);
        queues.define(
                List.of(
                        Queue.pull("letters"),
                        Queue.pull("pull")
                                .withRetry(twice)
                                .withRouting(new Queue.Routing("", "letters"))));
        queues.add("pull", List.of(pull("a", "x")));
        for (int lease = 0; lease < 2; lease++) {
            assertThat(queues.lease("pull", 1, MINUTE)).hasSize(1);
            clock.advance(MINUTE);
        }
        assertThat(queues.lease("pull", 1, MINUTE)).isEmpty();
        assertThat(names(queues.lease("letters", 1, MINUTE))).containsExactly("a");
        assertThat(queues.deadLetters()).isEqualTo(1);
    }

    @Test
    void deadLettersDoNotReplaceATaskOfTheSameName() {
        queues.define(List.of(Queue.pull("letters"), exhaustedAtOnce("letters")));
        queues.add("letters", List.of(pull("a", "other")));
        exhaust();
        List<Task> kept = queues.lease("letters", 10, MINUTE);
        assertThat(names(kept)).containsExactly("a");
        assertThat(kept.getFirst().state().tag()).isEqualTo("other".getBytes(UTF_8));
        assertThat(queues.deadLetters()).isZero();
        assertThat(queues.dropped()).isEqualTo(1);
    }

    @Test
    void deadLettersOfAnotherModeAreNotUsed() {
        queues.define(List.of(Queue.push("letters"), exhaustedAtOnce("letters")));
        exhaust();
        assertThat(queues.task("letters", "a")).isEmpty();
        assertThat(queues.dropped()).isEqualTo(1);
    }

    private static Queue exhaustedAtOnce(String letters) {
        RetryPolicy once =
                new RetryPolicy(
                        java.util.OptionalInt.of(1),
                        java.util.Optional.empty(),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        0);
        return Queue.pull("pull").withRetry(once).withRouting(new Queue.Routing("", letters));
    }

    private void exhaust() {
        queues.add("pull", List.of(pull("a", "x")));
        assertThat(queues.lease("pull", 1, MINUTE)).hasSize(1);
        clock.advance(MINUTE);
        assertThat(queues.lease("pull", 1, MINUTE)).isEmpty();
    }

    @Test
    void nothingIsLeasedFromAPausedQueue() {
        queues.define(List.of(Queue.pull("pull")));
        queues.add("pull", List.of(pull("a", "x")));
        queues.pause("pull");
        assertThat(queues.lease("pull", 1, MINUTE)).isEmpty();
        queues.resume("pull");
        assertThat(queues.lease("pull", 1, MINUTE)).hasSize(1);
    }

    @Test
    void purgeRemovesEverythingAndKeepsTombstones() {
        List<NewTask> many = new ArrayList<>();
        for (int i = 0; i < 900; i++) {
            many.add(push("t" + i));
        }
        queues.add("default", many);
        queues.add("default", many.stream().map(task -> task.named("u" + task.name())).toList());
        assertThat(queues.statistics("default", QueueStatistics.Dispatch.NONE).tasks())
                .isEqualTo(1_800);
        queues.purge("default");
        assertThat(queues.statistics("default", QueueStatistics.Dispatch.NONE).tasks()).isZero();
        assertThat(queues.tasksByName("default", "", 10)).isEmpty();
        assertThat(queues.add("default", List.of(push("t5"))))
                .containsExactly(new AddResult.Tombstoned("t5"));
    }

    @Test
    void projectsAreSeparate() {
        ProjectQueues other = queues(databases.open("other"));
        queues.add("default", List.of(push("a")));
        assertThat(other.queues()).isEmpty();
        assertThat(other.task("default", "a")).isEmpty();
        assertThat(other.add("default", List.of(push("a"))).getFirst())
                .isInstanceOf(AddResult.Added.class);
    }

    private static void fails(
            ErrorCode code,
            String text,
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .hasMessageContaining(text)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        failure -> assertThat(failure.code()).isEqualTo(code));
    }
}
