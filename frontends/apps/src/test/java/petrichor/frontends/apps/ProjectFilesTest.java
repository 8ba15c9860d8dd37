package petrichor.frontends.apps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.apps.hosting.AppliedFile;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.CompositeIndex;
import petrichor.entities.EntityDatabases;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.dispatch.DeliveryResult;
import petrichor.services.queues.dispatch.DispatchLimits;
import petrichor.services.queues.dispatch.Dispatchers;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.scheduling.SystemScheduler;

/** Files of an app over the real queues, cron jobs and indexes of a store in memory. */
class ProjectFilesTest {
    private static final String PROJECT = "demo";
    private static final String TWO_QUEUES = "queue:\n- name: mail\n  rate: 5/s\n- name: slow\n";

    private static final String INDEX =
            "indexes: [{kind: Note, properties: [{name: a}, {name: b}]}]\n";

    private final RowDatabases databases = new RowDatabases(MemoryStore.open());
    private final SystemScheduler scheduler = new SystemScheduler();
    private final Dispatchers dispatchers =
            new Dispatchers(
                    () -> databases,
                    QueueLimits.DEFAULT,
                    DispatchLimits.DEFAULT,
                    _ -> CompletableFuture.completedFuture(new DeliveryResult.Answered(200)),
                    MemoryBudget.unlimited(),
                    TimeSource.SYSTEM,
                    scheduler,
                    new Random(1));
    private final EntityDatabases entities = new EntityDatabases(databases);
    private final ProjectFiles files = new ProjectFiles(() -> dispatchers, () -> entities);

    @AfterEach
    void close() {
        dispatchers.close();
        scheduler.close();
        databases.close();
    }

    private List<AppliedFile> apply(List<String> former, Map<String, String> texts) {
        return files.check(PROJECT, texts).apply(former);
    }

    private boolean isPaused(String queue) {
        return dispatchers.open(PROJECT).require(queue).paused();
    }

    private void assertRefused(ErrorCode code, String reason, Map<String, String> texts) {
        assertThatThrownBy(() -> files.check(PROJECT, texts))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code))
                .hasMessageContaining(reason);
    }

    @Test
    void filesDefineQueuesJobsAndIndexes() {
        var applied =
                apply(
                        List.of(),
                        Map.of(
                                "queue.yaml",
                                TWO_QUEUES,
                                "cron.yaml",
                                "cron:\n- url: /tick\n  schedule: every 2 hours\n",
                                "index.yaml",
                                INDEX));
        assertThat(applied)
                .containsExactlyInAnyOrder(
                        new AppliedFile("queue.yaml", List.of("mail", "slow"), List.of()),
                        new AppliedFile("cron.yaml", List.of("/tick"), List.of()),
                        new AppliedFile("index.yaml", List.of("Note"), List.of()));
        assertThat(dispatchers.open(PROJECT).require("mail").rate().tokensPerSecond()).isEqualTo(5);
        assertThat(dispatchers.cronJobs(PROJECT).all())
                .extracting(timed -> timed.job().url())
                .containsExactly("/tick");
        assertThat(entities.open(PROJECT, "").indexes().newest().all())
                .extracting(CompositeIndex::definition)
                .extracting(definition -> definition.kind())
                .containsExactly("Note");
    }

    @Test
    void aQueueThatTheNextFileLacksIsPaused() {
        apply(List.of(), Map.of("queue.yaml", TWO_QUEUES));
        assertThat(
                        apply(
                                List.of("mail", "slow", "default", "deleted"),
                                Map.of("queue.yaml", "queue:\n- name: mail\n")))
                .containsExactly(new AppliedFile("queue.yaml", List.of("mail"), List.of("slow")));
        assertThat(isPaused("slow")).isTrue();
        assertThat(isPaused("mail")).isFalse();
        assertThat(isPaused("default")).isFalse();
        apply(List.of("mail"), Map.of("queue.yaml", TWO_QUEUES));
        assertThat(isPaused("slow")).isFalse();
    }

    @Test
    void pausedQueuesStayPausedIfTheFileSaysSo() {
        apply(List.of(), Map.of("queue.yaml", TWO_QUEUES));
        dispatchers.open(PROJECT).pause("slow");
        apply(List.of(), Map.of("queue.yaml", "resume_paused_queues: false\n" + TWO_QUEUES));
        assertThat(isPaused("slow")).isTrue();
        assertThat(isPaused("mail")).isFalse();
    }

    @Test
    void theModeOfAQueueCannotChange() {
        apply(List.of(), Map.of("queue.yaml", TWO_QUEUES));
        assertRefused(
                ErrorCode.FAILED_PRECONDITION,
                "the mode of the queue mail cannot change",
                Map.of("queue.yaml", "queue:\n- name: mail\n  mode: pull\n"));
    }

    @Test
    void invalidFilesAreRefusedWithLineAndNearestField() {
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                "queue.yaml:3 is not valid: unknown field \"rat\"; the nearest is \"rate\"",
                Map.of("queue.yaml", "queue:\n- name: mail\n  rat: 5/s\n"));
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                "cron.yaml:2 is not valid: unknown field \"shedule\"; the nearest is \"schedule\"",
                Map.of("cron.yaml", "cron:\n- shedule: every day 00:00\n  url: /tick\n"));
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                "index.yaml:2 is not valid: unknown field \"knd\"; the nearest is \"kind\"",
                Map.of("index.yaml", "indexes:\n- knd: Note\n"));
    }
}
