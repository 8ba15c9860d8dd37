package petrichor.movement.upstream;

import java.util.List;
import java.util.Optional;
import petrichor.client.DatabaseName;

/**
 * A move as shown to its operator.
 *
 * @param lagSeconds age of the oldest commit that the side that follows does not have
 * @param settlesSeconds until commits of the time before the start can no longer arrive at the
 *     upstream, and the comparison begins; 0 if nothing waits for that
 * @param sent entities that were sent to the upstream since the start of the process
 * @param problem what prevents progress
 */
public record UpstreamStatus(
        DatabaseName database,
        UpstreamPhase phase,
        String address,
        Copied copied,
        double lagSeconds,
        long settlesSeconds,
        Compared compared,
        long sent,
        Optional<String> problem) {
    public record Copied(long entities, long bytes) {}

    /**
     * @param at end of the last comparison, in microseconds since 1970; 0 if there was none
     * @param entities compared entities, also of a running comparison
     * @param mismatches entities that differed, and were copied again
     * @param examples some of their keys
     */
    public record Compared(long at, long entities, long mismatches, List<String> examples) {
        public Compared {
            examples = List.copyOf(examples);
        }
    }
}
