package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;

/**
 * The rows that all simulated processes share, and the writes that are still on their way. Used by
 * one thread at a time; see {@link Gate}.
 */
final class SharedStore {
    /** A durable step that somebody sent and nobody waits for any more. */
    record Late(byte[] domain, long fence, WriteBatch batch) {}

    private final KeyValueStore rows;
    private final Chance chance;
    private final List<Late> late = new ArrayList<>();
    private final Map<Gate.Fate, Integer> fates = new EnumMap<>(Gate.Fate.class);
    private int lateFenced;

    SharedStore(KeyValueStore rows, Chance chance) {
        this.rows = rows;
        this.chance = chance;
    }

    KeyValueStore rows() {
        return rows;
    }

    Chance chance() {
        return chance;
    }

    DurableStep.AtomicBatch step() {
        if (rows.durableStep() instanceof DurableStep.AtomicBatch step) {
            return step;
        }
        throw new IllegalStateException("the simulation needs a store that writes batches");
    }

    DurableStep.Outcome land(Late write) {
        return step().commit(write.domain(), write.fence(), write.batch());
    }

    void delay(Late write) {
        late.add(write);
    }

    boolean hasLate() {
        return !late.isEmpty();
    }

    /** One of the late writes arrives, in any order. */
    void landOneLate() {
        Late write = late.remove(chance.below(late.size()));
        if (land(write) == DurableStep.Outcome.FENCED) {
            lateFenced++;
        }
    }

    void count(Gate.Fate fate) {
        fates.merge(fate, 1, Integer::sum);
    }

    /** How often each fate was met. */
    Map<Gate.Fate, Integer> fates() {
        return fates;
    }

    /** Late writes that a newer fence kept out. */
    int lateFenced() {
        return lateFenced;
    }
}
