package petrichor.transactions.migration;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Describes a migration for its users. Pure functions. */
final class MigrationProgress {
    private MigrationProgress() {}

    /**
     * @param position up to which the other store has all steps
     * @param newest version of the last step
     */
    static MigrationStatus of(
            MigrationState state,
            long position,
            long newest,
            @Nullable CopyRate rate,
            @Nullable String problem) {
        MigrationState.Verified verified = state.verified();
        return new MigrationStatus(
                state.from(),
                state.to(),
                state.phase(),
                state.paused(),
                state.startedAt(),
                state.phase().captures() ? Math.max(0, newest - position) : 0,
                new MigrationStatus.Copied(
                        state.copied().rows(),
                        state.copied().bytes(),
                        CopyRate.fraction(state),
                        rate == null ? 0 : rate.rowsPerSecond(),
                        rate == null ? -1 : rate.secondsLeft()),
                new MigrationStatus.Compared(
                        verified.version(),
                        verified.rows(),
                        verified.mismatches(),
                        verified.examples()),
                Optional.ofNullable(problem));
    }
}
