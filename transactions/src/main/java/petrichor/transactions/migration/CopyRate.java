package petrichor.transactions.migration;

/** The rate of a copy in this process. One thread writes; any thread reads. */
final class CopyRate {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Progress since the copy began in this process. */
    private record Reached(double seconds, long rows, double fraction) {}

    private final long beganNanos;
    private final long rowsBefore;
    private final double fractionBefore;
    private volatile Reached reached = new Reached(0, 0, 0);

    CopyRate(long nowNanos, MigrationState state) {
        this.beganNanos = nowNanos;
        this.rowsBefore = state.copied().rows();
        this.fractionBefore = fraction(state);
    }

    void reached(long nowNanos, MigrationState state) {
        reached =
                new Reached(
                        (nowNanos - beganNanos) / NANOS_PER_SECOND,
                        state.copied().rows() - rowsBefore,
                        fraction(state) - fractionBefore);
    }

    double rowsPerSecond() {
        Reached now = reached;
        return now.seconds > 0 ? now.rows / now.seconds : 0;
    }

    /** Estimated; -1 if not known. */
    long secondsLeft() {
        Reached now = reached;
        return now.fraction > 0
                ? Math.round(now.seconds * (1 - fractionBefore - now.fraction) / now.fraction)
                : -1;
    }

    /** Of the ranges of keys that are copied, from 0 to 1. */
    static double fraction(MigrationState state) {
        return switch (state.phase()) {
            case COPY ->
                    state.copy().isEmpty()
                            ? 0
                            : (double) state.copy().stream().filter(CopyRange::done).count()
                                    / state.copy().size();
            case CATCH_UP, VERIFY, READY, REVERSIBLE, END, STOPPED -> 1;
        };
    }
}
