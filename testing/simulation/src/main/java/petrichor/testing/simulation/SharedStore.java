package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;

/**
 * The stores that all simulated processes share, and the writes that are still on their way. Used
 * by one thread.
 */
final class SharedStore {
    /** A write under way whose sender does not wait for it any more. */
    interface Late {
        DurableStep.Outcome land();
    }

    private final List<KeyValueStore> stores;
    private final Chance chance;
    private final List<Late> late = new ArrayList<>();
    private final Map<StepFate, Integer> fates = new EnumMap<>(StepFate.class);
    private int lateFenced;
    private Runnable interruption = () -> {};
    private boolean interrupted;

    /**
     * @param stores the home first, then what is beside it
     */
    SharedStore(List<KeyValueStore> stores, Chance chance) {
        this.stores = List.copyOf(stores);
        this.chance = chance;
    }

    List<KeyValueStore> stores() {
        return stores;
    }

    Chance chance() {
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

    /** One of the late writes arrives, in any order. */
    void landOneLate() {
        Late write = late.remove(chance.below(late.size()));
        if (write.land() == DurableStep.Outcome.FENCED) {
            lateFenced++;
        }
    }

    void count(StepFate fate) {
        fates.merge(fate, 1, Integer::sum);
    }

    /** How often each fate was met. */
    Map<StepFate, Integer> fates() {
        return fates;
    }

    /** Late writes that a newer fence kept out. */
    int lateFenced() {
        return lateFenced;
    }
}
