package petrichor.services.queues.cron;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.QueueListener;
import petrichor.services.queues.SimulatedClock;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;

class CronJobsTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final SimulatedClock clock = new SimulatedClock();
    private RowDatabases databases;
    private CronJobs jobs;

    @BeforeEach
    void open() {
        databases =
                new RowDatabases(
                        RoutedStores.of(MemoryStore.open()),
                        TransactionLimits.DEFAULT,
                        clock,
                        new Random(1),
                        clock);
        ProjectQueues queues =
                new ProjectQueues(
                        databases.open("demo"),
                        QueueLimits.DEFAULT,
                        QueueListener.NONE,
                        clock,
                        new Random(2));
        jobs = new CronJobs(queues.commits(), () -> {}, clock);
        jobs.define(
                List.of(
                        new CronJob(
                                "/job",
                                "every 1 hours synchronized",
                                "UTC",
                                CronJob.Options.DEFAULT)));
    }

    @AfterEach
    void close() {
        databases.close();
    }

    @Test
    void theNextRunIsAfterNowHoweverManyWereMissed() {
        clock.advance(HOUR.multipliedBy(20).plusMinutes(30));
        CronJobs.Look look = jobs.look();
        assertThat(look.tasks()).hasSize(1);
        assertThat(look.nextMicros()).hasValue(clock.epochMicros() + 30 * 60_000_000L);
    }

    @Test
    void aJobIsSkippedWhileItsPreviousRunHasNotEnded() {
        clock.advance(HOUR);
        assertThat(jobs.look().tasks()).hasSize(1);
        clock.advance(HOUR);
        assertThat(jobs.look().tasks()).isEmpty();
    }
}
