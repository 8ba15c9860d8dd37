package petrichor.cloud.leasing;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A stage as seen by leasing: it states its demand in each step, and receives its machines. Called
 * by the thread of {@link Leasing#step} only; the calls must return at once.
 */
public interface StageDemand {
    /** How far a stage is. One that has ended is no longer there. */
    enum Phase {
        /** It will come: machines that it needs are kept for as long as they are paid for. */
        PLANNED,
        /** It starts as soon as its machines exist, or has started. */
        WANTED
    }

    StageId id();

    /** Always the same. */
    List<Need> needs();

    Phase phase();

    /** How long it will take, if anybody knows. */
    default Optional<Duration> expected() {
        return Optional.empty();
    }

    /** Whether a need that is lazy is there now. */
    default boolean reached(Need need) {
        return true;
    }

    /**
     * Assigns these machines to the stage. The first call comes when all machines of all non-lazy
     * needs exist; later calls bring those of lazy needs, and replacements of lost ones. After a
     * restart the calls are repeated.
     */
    void granted(Need need, List<Leased> machines);

    /** It cannot begin yet. Said again when the reason changes. */
    void waits(String reason);

    /**
     * It has waited for as long as is allowed. Nothing more is tried until it was {@link
     * Phase#PLANNED} again.
     */
    void gaveUp(String reason);

    /**
     * A machine that it had is gone, or is about to go. Another one will be granted in its place.
     */
    void lost(Leased machine, String reason);
}
