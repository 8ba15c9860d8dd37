package petrichor.testing.simulation;

import java.util.SplittableRandom;

/** All random decisions, derived from a seed. Confined to one thread. */
final class SeededRandom {
    private static final double READ_FAILS = 0.002;
    private static final double FENCE_FAILS = 0.2;
    private static final double STEP_GOES_WRONG = 0.15;
    private static final double PROCESS_DIES = 0.3;
    private static final double ROWS_GO_WRONG = 0.15;

    private static final StepFate[] WRONG = {
        StepFate.FAILS,
        StepFate.UNKNOWN_LANDED,
        StepFate.UNKNOWN_LOST,
        StepFate.UNKNOWN_LATE,
        StepFate.BREAKS_LANDED
    };
    private static final StepFate[] DEADLY = {
        StepFate.DIES_LANDED, StepFate.DIES_LOST, StepFate.DIES_LATE
    };

    private final SplittableRandom random;
    private boolean faults = true;

    SeededRandom(long seed) {
        // Decorrelates neighbouring seeds.
        random = new SplittableRandom(new SplittableRandom(seed).nextLong());
    }

    /** Disables all faults from now on. */
    void heal() {
        faults = false;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean in(double probability) {
        return random.nextDouble() < probability;
    }

    long seed() {
        return random.nextLong();
    }

    boolean fault(double probability) {
        return faults && in(probability);
    }

    boolean readFails() {
        return fault(READ_FAILS);
    }

    boolean fenceFails() {
        return fault(FENCE_FAILS);
    }

    boolean rowsGoWrong() {
        return fault(ROWS_GO_WRONG);
    }

    /** The fate of a step whose process survives. */
    StepFate fateOfLiving() {
        return fault(STEP_GOES_WRONG) ? WRONG[below(WRONG.length)] : StepFate.LANDS;
    }

    StepFate fate() {
        return fault(STEP_GOES_WRONG * PROCESS_DIES)
                ? DEADLY[below(DEADLY.length)]
                : fateOfLiving();
    }
}
