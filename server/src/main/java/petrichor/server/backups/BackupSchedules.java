package petrichor.server.backups;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.client.DatabaseName;
import petrichor.kv.KeyRange;
import petrichor.movement.backups.BackupTarget;
import petrichor.movement.backups.RowsOwner;
import petrichor.server.metrics.Readings;
import petrichor.services.users.Accounts;
import petrichor.services.users.SystemRows;
import petrichor.transactions.Databases;

/**
 * Makes backups on schedules, which are rows of the system database. Every server of a cluster
 * reads them every few seconds; the one that claims a due schedule first runs it, and renews its
 * claim meanwhile. If it ends, its claim expires, and another server runs the schedule.
 * Thread-safe.
 */
final class BackupSchedules implements AutoCloseable {
    static final int SCHEDULES_MAX = 100;

    private static final Logger LOG = LoggerFactory.getLogger(BackupSchedules.class);
    private static final int TYPE = 'B';
    private static final Duration POLL = Duration.ofSeconds(2);
    private static final Duration RENEW = Duration.ofSeconds(20);
    private static final Duration END_WITHIN = Duration.ofSeconds(5);

    private final Supplier<Databases> databases;
    private final RowsOwner owner;
    private final SystemRows rows;
    private final String server = UUID.randomUUID().toString();
    private final Thread thread;
    private volatile List<ScheduleState> known = List.of();
    private volatile boolean closed;
    private boolean failing;

    BackupSchedules(Supplier<Databases> databases, RowsOwner owner) {
        this.databases = databases;
        this.owner = owner;
        this.rows = new SystemRows(() -> databases.get().open(Accounts.DATABASE));
        this.thread = Thread.ofPlatform().daemon().name("backup-schedules").unstarted(this::follow);
    }

    void start() {
        thread.start();
    }

    private static Instant now() {
        return Instant.ofEpochMilli(TimeSource.SYSTEM.epochMicros() / 1_000);
    }

    private static byte[] key(String name) {
        return new OrderedWriter().put(TYPE).putString(name).toBytes();
    }

    /** In the order of their names. */
    List<ScheduleState> list() {
        // Opening the database would create it.
        return databases.get().names().contains(Accounts.DATABASE)
                ? rows.scan(KeyRange.ofPrefix(new OrderedWriter().put(TYPE).toBytes())).stream()
                        .map(ScheduleState::decode)
                        .toList()
                : List.of();
    }

    /** Adds or replaces a schedule, which runs at once. */
    void set(BackupSchedule schedule) {
        if (list().size() >= SCHEDULES_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "There are {schedulesMax} schedules already; remove some.",
                    "schedulesMax",
                    SCHEDULES_MAX);
        }
        rows.change(
                key(schedule.name()),
                before ->
                        (before == null
                                        ? ScheduleState.of(schedule, now())
                                        : ScheduleState.decode(before).with(schedule, now()))
                                .encoded());
        LockSupport.unpark(thread);
    }

    /** NOT_FOUND if there is none. A run that has started ends soon. */
    void remove(String name) {
        if (list().stream().noneMatch(state -> state.schedule().name().equals(name))) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "There is no backup schedule {name}; `petrichor backup schedule show` lists"
                            + " them.",
                    "name",
                    name);
        }
        rows.change(key(name), _ -> null);
    }

    private void follow() {
        while (!closed) {
            try {
                known = list();
                for (ScheduleState state : known) {
                    if (!closed && state.dueAt(now())) {
                        runIfClaimed(state.schedule().name());
                    }
                }
                failing = false;
            } catch (RuntimeException unreadable) {
                if (!failing) {
                    failing = true;
                    LOG.warn("backup schedules cannot be read: {}", unreadable.getMessage());
                }
            }
            LockSupport.parkNanos(this, POLL.toNanos());
        }
    }

    private void runIfClaimed(String name) {
        AtomicBoolean claimed = new AtomicBoolean();
        rows.change(
                key(name),
                before -> {
                    claimed.set(false);
                    if (before == null) {
                        return null;
                    }
                    ScheduleState state = ScheduleState.decode(before);
                    if (!state.dueAt(now())) {
                        return before;
                    }
                    claimed.set(true);
                    return state.claimed(server, now()).encoded();
                });
        if (claimed.get()) {
            byte[] row = rows.get(key(name));
            if (row != null) {
                run(ScheduleState.decode(row));
            }
        }
    }

    private void run(ScheduleState state) {
        String name = state.schedule().name();
        Instant start = now();
        AtomicBoolean lost = new AtomicBoolean();
        Thread renewing =
                Thread.ofVirtual().name("backup-claim").start(() -> renew(name, start, lost));
        ScheduleState.Outcome outcome;
        try {
            int count = backUp(state.schedule(), start, lost);
            Duration took = Duration.between(start, now());
            outcome = new ScheduleState.Outcome(Optional.of(start), took, "");
            LOG.info("backup schedule {}: {} databases in {} ms", name, count, took.toMillis());
        } catch (RuntimeException failed) {
            String error = String.valueOf(failed.getMessage());
            outcome =
                    new ScheduleState.Outcome(state.last().succeeded(), state.last().took(), error);
            LOG.error("backup schedule {} failed: {}", name, error);
        } finally {
            renewing.interrupt();
        }
        ScheduleState.Outcome ended = outcome;
        change(name, held -> held.ended(ended));
        known = list();
    }

    /** Does nothing if this server no longer has the claim. Returns whether it has. */
    private boolean change(String name, java.util.function.UnaryOperator<ScheduleState> change) {
        AtomicBoolean held = new AtomicBoolean();
        rows.change(
                key(name),
                before -> {
                    ScheduleState state = before == null ? null : ScheduleState.decode(before);
                    held.set(state != null && state.claimedBy(server));
                    return held.get()
                            ? change.apply(Objects.requireNonNull(state)).encoded()
                            : before;
                });
        return held.get();
    }

    private void renew(String name, Instant start, AtomicBoolean lost) {
        Instant renewed = start;
        while (!lost.get()) {
            try {
                Thread.sleep(RENEW);
                if (change(name, held -> held.extended(now()))) {
                    renewed = now();
                } else {
                    lost.set(true);
                }
            } catch (InterruptedException ended) {
                return;
            } catch (RuntimeException unreachable) {
                lost.set(now().isAfter(renewed.plus(ScheduleState.CLAIM).minus(RENEW)));
            }
        }
    }

    /** Returns how many databases were backed up. */
    private int backUp(BackupSchedule schedule, Instant start, AtomicBoolean lost) {
        BackupTarget target = BackupTargets.open(schedule.source().place());
        try {
            ScheduledRun run =
                    new ScheduledRun(
                            schedule, owner, target, (_, _, _) -> requireGoingOn(lost), start);
            int count = 0;
            for (DatabaseName database : databases(schedule)) {
                requireGoingOn(lost);
                count += backedUp(run, database, schedule.source().databases().isEmpty()) ? 1 : 0;
            }
            return count;
        } finally {
            BackupTargets.close(target);
        }
    }

    private static boolean backedUp(ScheduledRun run, DatabaseName database, boolean mayBeEmpty) {
        try {
            run.backUp(database);
            return true;
        } catch (PetrichorException empty) {
            if (mayBeEmpty && empty.code() == ErrorCode.NOT_FOUND) {
                return false;
            }
            throw empty;
        }
    }

    private void requireGoingOn(AtomicBoolean lost) {
        if (closed) {
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "The server is stopping.");
        }
        if (lost.get()) {
            throw PetrichorException.of(
                    ErrorCode.ABORTED,
                    "The schedule was removed, or another server runs it, because this one could"
                            + " not renew its claim.");
        }
    }

    private List<DatabaseName> databases(BackupSchedule schedule) {
        List<String> names = schedule.source().databases();
        if (names.isEmpty()) {
            names =
                    databases.get().names().stream()
                            .filter(name -> !name.endsWith("/" + ScheduledRun.SCRATCH))
                            .filter(name -> !name.startsWith("$"))
                            .sorted()
                            .toList();
        }
        List<DatabaseName> parsed = new ArrayList<>();
        for (String name : names) {
            int slash = name.indexOf('/');
            parsed.add(
                    slash < 0
                            ? new DatabaseName(name, "")
                            : new DatabaseName(
                                    name.substring(0, slash), name.substring(slash + 1)));
        }
        return parsed;
    }

    MetricSnapshots metrics() {
        Instant now = now();
        List<Readings.Point> ages = new ArrayList<>();
        List<Readings.Point> durations = new ArrayList<>();
        List<Readings.Point> failures = new ArrayList<>();
        for (ScheduleState state : known) {
            Labels labels = Labels.of("schedule", state.schedule().name());
            ages.add(new Readings.Point(labels, state.ageSeconds(now)));
            durations.add(new Readings.Point(labels, state.last().took().toMillis() / 1e3));
            failures.add(new Readings.Point(labels, state.last().error().isEmpty() ? 0 : 1L));
        }
        return new Readings()
                .gauges(
                        "petrichor_backup_age_seconds",
                        "Time since the last good backup of a schedule.",
                        ages)
                .gauges(
                        "petrichor_backup_last_seconds",
                        "Duration of the last good backup of a schedule.",
                        durations)
                .gauges(
                        "petrichor_backup_failing",
                        "Whether the last backup of a schedule failed: 0 or 1.",
                        failures)
                .snapshots();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            if (thread.isAlive()) {
                var _ = thread.join(END_WITHIN);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
