package petrichor.transactions.migration;

/**
 * A switch.
 *
 * @param store that holds the database now
 * @param version of the last commit before it
 * @param pauseNanos for which commits waited
 */
public record Switched(String store, long version, long pauseNanos) {}
