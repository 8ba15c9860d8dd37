package petrichor.server.backups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.client.DatabaseName;
import petrichor.entities.Datastore;
import petrichor.kv.memory.MemoryStore;
import petrichor.movement.backups.DatabaseRows;
import petrichor.movement.backups.RowsOwner;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;

/** Servers that share a store divide the runs of schedules among themselves. */
class BackupSchedulesTest {
    private static final DatabaseName SHOP = new DatabaseName("shop", "");
    private static final long WITHIN_NANOS = 60_000_000_000L;
    private static final Instant NOW = Instant.parse("2026-11-28T10:00:00Z");

    @TempDir Path folder;

    private final RowDatabases databases = new RowDatabases(RoutedStores.of(MemoryStore.open()));
    private final Datastore datastore = new Datastore(databases, TimeSource.SYSTEM);

    @BeforeEach
    void fill() {
        Key key =
                Key.newBuilder()
                        .setPartitionId(SHOP.partition(""))
                        .addPath(Key.PathElement.newBuilder().setKind("Item").setName("a"))
                        .build();
        var _ =
                datastore
                        .commit(
                                CommitRequest.newBuilder()
                                        .setProjectId(SHOP.project())
                                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                        .addMutations(
                                                Mutation.newBuilder()
                                                        .setUpsert(Entity.newBuilder().setKey(key)))
                                        .build())
                        .join();
    }

    @AfterEach
    void close() {
        databases.close();
    }

    private BackupSchedule schedule(String every) {
        return new BackupSchedule(
                "nightly",
                new BackupSchedule.Source(
                        List.of("shop"), folder.resolve("backups").toString(), Optional.empty()),
                new BackupSchedule.Timing(every, 7, false),
                new BackupSchedule.Retention(2, 0));
    }

    private static void await(BackupSchedules schedules, java.util.function.BooleanSupplier done) {
        long end = System.nanoTime() + WITHIN_NANOS;
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime()).as("%s", schedules.list()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void oneOfTwoServersRunsASchedule() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger polls = new AtomicInteger();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        RowsOwner held =
                request -> {
                    if (request.hasDescribe()) {
                        runs.incrementAndGet();
                        started.countDown();
                        try {
                            released.await();
                        } catch (InterruptedException interrupted) {
                            failures.add(interrupted);
                        }
                    }
                    return new DatabaseRows(datastore.databases().open("shop", "")).ask(request);
                };
        try (BackupSchedules one = new BackupSchedules(() -> databases, held);
                BackupSchedules other =
                        new BackupSchedules(
                                () -> {
                                    polls.incrementAndGet();
                                    return databases;
                                },
                                held)) {
            one.start();
            other.start();
            one.set(schedule("every 1 hours"));
            started.await();
            // The other one reads the schedules at least twice while the first one runs.
            int before = polls.get();
            await(one, () -> polls.get() > before + 4);
            assertThat(one.list().getFirst().runningAt(Instant.now())).isTrue();
            released.countDown();
            await(one, () -> one.list().getFirst().last().succeeded().isPresent());
            assertThat(runs).hasValue(1);
            assertThat(failures).isEmpty();
            assertThat(one.list().getFirst().next()).isAfter(Instant.now());
        }
    }

    @Test
    void aClaimThatIsNotRenewedPassesToAnotherServer() {
        ScheduleState set = ScheduleState.of(schedule("every day 03:00"), NOW);
        assertThat(set.dueAt(NOW)).isTrue();

        ScheduleState claimed = ScheduleState.decode(set.claimed("a", NOW).encoded());

        assertThat(claimed.claimedBy("a")).isTrue();
        assertThat(claimed.claimedBy("b")).isFalse();
        assertThat(claimed.dueAt(NOW.plusSeconds(119))).isFalse();
        assertThat(claimed.dueAt(NOW.plusSeconds(120))).isTrue();
        assertThat(claimed.extended(NOW.plusSeconds(60)).dueAt(NOW.plusSeconds(120))).isFalse();
    }

    @Test
    void aFailureIsRepeatedSoonAndASuccessWhenItIsDue() {
        ScheduleState claimed =
                ScheduleState.of(schedule("every day 03:00"), NOW).claimed("a", NOW);
        ScheduleState.Outcome good =
                new ScheduleState.Outcome(Optional.of(NOW), Duration.ofSeconds(3), "");
        ScheduleState.Outcome bad =
                new ScheduleState.Outcome(Optional.of(NOW), Duration.ofSeconds(3), "full disk");

        assertThat(claimed.ended(good).next()).isEqualTo(Instant.parse("2026-11-29T03:00:00Z"));
        assertThat(claimed.ended(bad).next()).isEqualTo(NOW.plus(Duration.ofMinutes(5)));
        assertThat(claimed.ended(bad).dueAt(NOW.plusSeconds(299))).isFalse();
        assertThat(claimed.ended(good).ageSeconds(NOW.plusSeconds(7))).isEqualTo(7);
        assertThat(ScheduleState.decode(claimed.ended(bad).encoded()).last()).isEqualTo(bad);
    }

    @Test
    void numbersOfDaysAndNamesAreChecked() {
        assertThatThrownBy(() -> new BackupSchedule.Retention(0, 1))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> new BackupSchedule.Retention(1, -1))
                .hasMessageContaining("keepDays");
        assertThatThrownBy(() -> new BackupSchedule.Timing("never", 1, false))
                .isInstanceOf(PetrichorException.class);
        assertThat(BackupSchedule.decode(schedule("every 1 hours").encoded()))
                .isEqualTo(schedule("every 1 hours"));
    }
}
