package petrichor.testing.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.Database;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.databases.NamedStores;
import petrichor.transactions.databases.RowDatabase;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.migration.Migration;
import petrichor.transactions.migration.MigrationStatus;
import petrichor.transactions.migration.MigrationStores;

/** A server process until its death: the real transaction code over a faulty store. */
final class SimulatedProcess implements AutoCloseable {
    private static final String NAME = "simulated";
    private static final String OTHER = "other";

    /** Maximum number of clock advances, each to the next deadline. */
    private static final int ROUNDS_MAX = 1_000;

    private final SimulatedThreads threads;
    private final SimulatedScheduler scheduler;
    private final ParkedStep step = new ParkedStep();
    private final FaultyStore.Life life = new FaultyStore.Life();
    private final TransactionLimits limits;
    private final SimulatedClock clock;
    private final RowDatabases databases;
    private final RowDatabase database;

    /** Where the database was last. */
    private String where = MigrationStores.HOME;

    private int switches;

    /**
     * @param valueBytesMax reported limit of the store
     * @param moves the database moves between the two stores
     */
    SimulatedProcess(
            SimulatedThreads threads,
            SharedStore shared,
            TransactionLimits limits,
            SimulatedClock clock,
            long chance,
            int valueBytesMax,
            boolean moves) {
        this.threads = threads;
        this.scheduler = new SimulatedScheduler(threads);
        this.limits = limits;
        this.clock = clock;
        List<KeyValueStore> stores = new ArrayList<>();
        for (KeyValueStore rows : shared.stores()) {
            stores.add(new FaultyStore(shared, rows, step, life, valueBytesMax));
        }
        KeyValueStore other = stores.getLast();
        databases =
                new RowDatabases(
                        moves ? RoutedStores.of(stores.getFirst()) : ScatteredRows.over(stores),
                        new NamedStores(Map.of(OTHER, () -> other)),
                        limits,
                        TransactionMemory.unlimited(),
                        new RowDatabases.Surroundings(
                                clock, new SplittableRandom(chance), scheduler));
        databases.ownWhile(_ -> !life.replaced());
        try {
            database = databases.open(NAME);
        } catch (RuntimeException failed) {
            databases.close();
            throw failed;
        }
    }

    /**
     * Limits small enough to be reached in a simulation.
     *
     * @param littleMemory commits wait for unapplied rows, and only briefly
     */
    static TransactionLimits limits(boolean smallWindow, boolean littleMemory) {
        TransactionLimits limits = TransactionLimits.DEFAULT.withRetention(Duration.ofDays(36_500));
        if (smallWindow) {
            limits = limits.withWindowBytesMax(2_000).withRowCache(1_000);
        }
        return littleMemory ? limits.withUnapplied(300, Duration.ofMillis(5)) : limits;
    }

    Database database() {
        return database;
    }

    /** Starts a migration, or takes its next step, in the background. */
    void migrate(SeededRandom chance) {
        boolean stays = chance.in(0.5);
        scheduler.run(() -> nextStep(stays));
    }

    private void nextStep(boolean stays) {
        Migration migration = database.migration();
        try {
            Optional<MigrationStatus> status = migration.status();
            if (status.isEmpty()) {
                migration.start(where.equals(OTHER) ? MigrationStores.HOME : OTHER);
                return;
            }
            where = status.get().from();
            switch (status.get().phase()) {
                case READY -> switchStores(migration);
                case REVERSIBLE -> {
                    if (stays) {
                        migration.end();
                    } else {
                        switchStores(migration);
                    }
                }
                case STOPPED -> migration.end();
                case COPY, CATCH_UP, VERIFY, END -> {}
            }
        } catch (PetrichorException failed) {
            // The next attempt may find the database in the other store.
            where = where.equals(OTHER) ? MigrationStores.HOME : OTHER;
        }
    }

    private void switchStores(Migration migration) {
        where = migration.switchStores().store();
        switches++;
    }

    /** Number of switches whose outcome this process knows. */
    int switches() {
        return switches;
    }

    /** Fails if rows differed when both stores were compared. */
    void requireEqualStores() {
        database.migration()
                .status()
                .map(MigrationStatus::compared)
                .filter(compared -> compared.mismatches() > 0)
                .ifPresent(
                        compared -> {
                            throw new IllegalStateException("the stores differ: " + compared);
                        });
    }

    /** Runs one background task. */
    void workBeside(SeededRandom chance) {
        scheduler.startOne(chance);
        threads.settle();
    }

    boolean hasWorkBeside() {
        return !scheduler.idle();
    }

    /** Whether its event loop waits for the fate of a durable step. */
    boolean stepWaits() {
        return step.waits();
    }

    /** Whether one of its threads is in the middle of an operation, and may hold locks. */
    boolean busy() {
        return scheduler.alive() > 0;
    }

    /** Replaces the process, which does not notice the loss of its lease. */
    void replace() {
        life.replace();
    }

    boolean dead() {
        return life.dead();
    }

    /** Runs its threads until they wait for decisions of the simulation. */
    void settle() {
        threads.settle();
    }

    void decide(StepFate fate) {
        step.decide(fate);
        threads.settle();
    }

    /** Kills the process between two steps, or in the middle of one. */
    void kill(StepFate inTheMiddle) {
        if (step.waits()) {
            decide(inTheMiddle);
        }
        life.die();
    }

    /** Pending operations fail first, some of them at their deadlines. */
    @Override
    public void close() {
        life.die();
        SeededRandom any = new SeededRandom(0);
        for (int round = 0; busy(); round++) {
            if (round > ROUNDS_MAX) {
                throw new IllegalStateException("the simulated process hangs");
            }
            if (step.waits()) {
                decide(StepFate.DIES_LOST);
            } else {
                clock.advance(limits.applyWait().toNanos() / 1_000 + 1);
                workBeside(any);
            }
        }
        databases.close();
        threads.settle();
    }
}
