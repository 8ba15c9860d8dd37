package petrichor.testing.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import petrichor.base.TimeSource;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.Database;
import petrichor.transactions.RowDatabase;
import petrichor.transactions.RowDatabases;
import petrichor.transactions.TransactionLimits;

/** One life of a server: the real transaction code over a store that fails. */
final class SimulatedProcess implements AutoCloseable {
    private static final String NAME = "simulated";

    private final SchedulerGate gate = new SchedulerGate();
    private final SimulatedBackground background = new SimulatedBackground();
    private final FaultyStore.Life life = new FaultyStore.Life();
    private final RowDatabases databases;
    private final RowDatabase database;
    private final List<CompletableFuture<?>> unanswered = new ArrayList<>();

    /**
     * @param valueBytesMax what the store takes
     */
    SimulatedProcess(
            SharedStore shared,
            TransactionLimits limits,
            TimeSource time,
            long chance,
            int valueBytesMax) {
        List<KeyValueStore> stores = new ArrayList<>();
        for (KeyValueStore rows : shared.stores()) {
            stores.add(new FaultyStore(shared, rows, gate, life, valueBytesMax));
        }
        databases =
                new RowDatabases(
                        ScatteredRows.over(stores),
                        limits,
                        time,
                        new SplittableRandom(chance),
                        background);
        databases.ownWhile(_ -> !life.replaced());
        try {
            database = databases.open(NAME);
        } catch (RuntimeException failed) {
            databases.close();
            throw failed;
        }
    }

    /** Small enough that a simulation meets them. */
    static TransactionLimits limits(boolean smallWindow) {
        TransactionLimits limits = TransactionLimits.DEFAULT.withRetention(Duration.ofDays(36_500));
        return smallWindow ? limits.withWindowBytesMax(2_000).withRowCache(1_000) : limits;
    }

    Database database() {
        return database;
    }

    /** Does one thing that is to be done beside commits; a wait for locks may end by it. */
    void workBeside(Chance chance) {
        background.runOne(chance);
        settle();
    }

    boolean hasWorkBeside() {
        return !background.idle();
    }

    SchedulerGate gate() {
        return gate;
    }

    /** Loses the lease without noticing. */
    void replace() {
        life.replace();
    }

    boolean dead() {
        return life.dead();
    }

    /** An answer that the process owes a client. */
    void owe(CompletableFuture<?> answer) {
        var _ = answer.whenComplete((_, _) -> gate.ring());
        unanswered.add(answer);
        settle();
    }

    /** Waits until the committer's thread waits for us, or is done. */
    void settle() {
        gate.awaitQuiet(unanswered, () -> database.metrics().lockWaits());
        unanswered.removeIf(CompletableFuture::isDone);
    }

    void decide(SchedulerGate.Fate fate) {
        gate.decide(fate);
        settle();
    }

    /** Dies between two steps, or in the middle of one. */
    void kill(SchedulerGate.Fate inTheMiddle) {
        if (gate.occupied()) {
            decide(inTheMiddle);
        }
        life.die();
    }

    @Override
    public void close() {
        life.die();
        if (gate.occupied()) {
            decide(SchedulerGate.Fate.DIES_LOST);
        }
        databases.close();
    }
}
