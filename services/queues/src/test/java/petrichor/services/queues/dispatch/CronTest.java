package petrichor.services.queues.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.queues.Queue;
import petrichor.services.queues.SimulatedClock;
import petrichor.services.queues.TaskMethod;
import petrichor.services.queues.TaskWork;
import petrichor.services.queues.cron.CronJob;

@ParameterizedClass
@EnumSource(Transport.class)
class CronTest {
    private final SimulatedClock clock = new SimulatedClock();
    private final Random chance = new Random(1);
    private final MemoryStore store = MemoryStore.open();
    private final SimulatedApp app = new SimulatedApp(clock, chance, Duration.ofSeconds(10));
    private final SimulatedTransport transport;
    private SimulatedServer server;

    CronTest(Transport kind) {
        this.transport = new SimulatedTransport(kind, clock, chance);
    }

    @BeforeEach
    void start() {
        server = server();
    }

    private SimulatedServer server() {
        return new SimulatedServer(store, clock, chance, DispatchLimits.DEFAULT, app, transport);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void define(String... schedules) {
        server.dispatchers
                .cronJobs("demo")
                .define(
                        List.of(schedules).stream()
                                .map(
                                        schedule ->
                                                new CronJob(
                                                        "/job",
                                                        schedule,
                                                        "UTC",
                                                        CronJob.Options.DEFAULT))
                                .toList());
    }

    private List<String> times() {
        return app.arrivals.values().stream()
                .flatMap(List::stream)
                .map(
                        arrival ->
                                Instant.EPOCH
                                        .plus(arrival.micros(), ChronoUnit.MICROS)
                                        .truncatedTo(ChronoUnit.SECONDS)
                                        .toString()
                                        .substring(5, 19))
                .sorted()
                .toList();
    }

    @Test
    void jobsRunAtTheirTimes() {
        define("every 8 hours synchronized");
        clock.advance(Duration.ofHours(24));
        assertThat(times()).containsExactly("01-01T08:00:00", "01-01T16:00:00", "01-02T00:00:00");
        Delivery first = app.arrivals.values().iterator().next().getFirst().delivery();
        assertThat(first.queue().name()).isEqualTo(Queue.CRON);
        assertThat(first.task().work())
                .isInstanceOfSatisfying(
                        TaskWork.Push.class,
                        work -> {
                            assertThat(work.method()).isEqualTo(TaskMethod.GET);
                            assertThat(work.url()).isEqualTo("/job");
                        });
        assertThat(TaskHeaders.toApp(first, "ticket")).containsEntry("X-AppEngine-Cron", "true");
    }

    @Test
    void timesThatWereMissedAreMadeUpForOnce() {
        define("every 1 hours synchronized");
        clock.advance(Duration.ofMinutes(90));
        assertThat(times()).hasSize(1);
        server.close();
        clock.crash();
        clock.advance(Duration.ofHours(20));
        server = server();
        clock.advance(Duration.ofMinutes(10));
        assertThat(times()).containsExactly("01-01T01:00:00", "01-01T21:30:00");
        clock.advance(Duration.ofMinutes(30));
        assertThat(times()).endsWith("01-01T22:00:00").hasSize(3);
    }

    @Test
    void aRunThatHasNotEndedIsNotRepeated() {
        app.lost = 100;
        define("every 1 minutes");
        clock.advance(Duration.ofMinutes(10));
        assertThat(times()).hasSize(1);
    }

    @Test
    void anAcceptedRunIsNotLostInACrash() {
        define("every 1 hours synchronized");
        app.ready = false;
        clock.advance(Duration.ofMinutes(61));
        server.close();
        clock.crash();
        app.ready = true;
        server = server();
        clock.advance(Duration.ofMinutes(1));
        assertThat(times()).hasSize(1);
    }

    @Test
    void aFailedRunIsNotRetriedWithoutParameters() {
        app.failures = 100;
        define("every 1 hours synchronized");
        clock.advance(Duration.ofMinutes(90));
        assertThat(times()).hasSize(1);
        assertThat(server.queues().dropped()).isEqualTo(1);
    }

    @Test
    void definingAgainKeepsTheNextRunOfKnownJobs() {
        define("every 60 minutes", "every day 05:00");
        clock.advance(Duration.ofMinutes(30));
        define("every 60 minutes");
        clock.advance(Duration.ofMinutes(40));
        assertThat(times()).containsExactly("01-01T01:00:00");
        assertThat(server.dispatchers.cronJobs("demo").all()).hasSize(1);
        define();
        clock.advance(Duration.ofHours(10));
        assertThat(times()).hasSize(1);
        assertThat(server.queues().queues()).as("the queue of cron jobs is hidden").isEmpty();
    }
}
