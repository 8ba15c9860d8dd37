package petrichor.transactions.migration;

import java.util.List;
import java.util.Optional;

/**
 * Where a migration stands.
 *
 * @param from the store that holds the database
 * @param to the store that follows it
 * @param startedAt microseconds since 1970
 * @param lagMicros how far the store that follows is behind, in microseconds
 * @param problem why it makes no progress at the moment
 */
public record MigrationStatus(
        String from,
        String to,
        MigrationPhase phase,
        boolean paused,
        long startedAt,
        long lagMicros,
        Copied copied,
        Compared compared,
        Optional<String> problem) {
    /**
     * Progress of the copy.
     *
     * @param fraction of the key ranges, from 0 to 1
     * @param rowsPerSecond in this process; 0 if not known
     * @param secondsLeft estimated; -1 if not known
     */
    public record Copied(
            long rows, long bytes, double fraction, double rowsPerSecond, long secondsLeft) {}

    /**
     * The last comparison.
     *
     * @param version at which both stores were compared; 0 if they were not
     */
    public record Compared(long version, long rows, long mismatches, List<String> examples) {
        public Compared {
            examples = List.copyOf(examples);
        }
    }
}
