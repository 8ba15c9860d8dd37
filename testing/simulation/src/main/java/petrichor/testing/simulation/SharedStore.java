package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;

/**
 * The stores shared by all simulated processes, and the writes in transit. Confined to one thread.
 */
final class SharedStore {
    /** A write in transit for which its sender no longer waits. */
    interface Late {
        DurableStep.Outcome land();
    }

    private final List<KeyValueStore> stores;
    private final SeededRandom chance;
    private final List<Late> late = new ArrayList<>();
    private final Map<StepFate, Integer> fates = new EnumMap<>(StepFate.class);
    private int lateFenced;
    private Runnable interruption = () -> {};
    private boolean interrupted;

    /**
     * @param stores home store first, then the others
     */
    SharedStore(List<KeyValueStore> stores, SeededRandom chance) {
        this.stores = List.copyOf(stores);
        this.chance = chance;
    }

    List<KeyValueStore> stores() {
        return stores;
    }

    SeededRandom chance() {
        return chance;
    }

    /** What other processes do during a takeover, between two of its reads. */
    void interruptWith(Runnable others) {
        interruption = others;
    }

    void interrupt() {
        if (!interrupted) {
            interrupted = true;
            interruption.run();
            interrupted = false;
        }
    }

    void delay(Late write) {
        late.add(write);
    }

    boolean hasLate() {
        return !late.isEmpty();
    }

    /** Applies one of the late writes, in any order. */
    void landOneLate() {
        Late write = late.remove(chance.below(late.size()));
        if (write.land() == DurableStep.Outcome.FENCED) {
            lateFenced++;
        }
    }

    void count(StepFate fate) {
        fates.merge(fate, 1, Integer::sum);
    }

    /** How often each fate occurred. */
    Map<StepFate, Integer> fates() {
        return fates;
    }

    /** Number of late writes refused by a newer fence. */
    int lateFenced() {
        return lateFenced;
    }
}
