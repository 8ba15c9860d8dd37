package petrichor.cloud.leasing;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The demand of a stage: states the needed machines in each step, and receives them. Called only by
 * the thread of {@link Leasing#step}; calls must not block.
 */
public interface StageDemand {
    /** The phase of a stage. Ended stages are no longer passed to leasing. */
    enum Phase {
        /** It will run later: suitable machines are kept until the end of their paid time. */
        PLANNED,
        /** It starts as soon as its machines exist, or has started. */
        WANTED
    }

    StageId id();

    /** Must not change. */
    List<Need> needs();

    Phase phase();

    /** Expected duration, if known. */
    default Optional<Duration> expected() {
        return Optional.empty();
    }

    /** Whether the stage now requests a lazy need. */
    default boolean reached(Need need) {
        return true;
    }

    /**
     * Assigns machines to the stage. The first calls come when the machines of all non-lazy needs
     * exist; later calls bring those of lazy needs, and replacements of lost machines. After a
     * restart the calls are repeated.
     */
    void granted(Need need, List<Leased> machines);

    /** The stage cannot start yet. Called again when the reason changes. */
    void waits(String reason);

    /**
     * The wait exceeded its limit. Leasing does nothing for the stage until it was {@link
     * Phase#PLANNED} again.
     */
    void gaveUp(String reason);

    /** A machine of the stage is lost, or will be soon. Another one will be granted instead. */
    void lost(Leased machine, String reason);
}
