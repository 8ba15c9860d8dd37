package petrichor.transactions;

/**
 * The owner's answer to a server that reads the database directly.
 *
 * @param number of the database in the store
 * @param version contains every commit that was acknowledged before the request; all of it is in
 *     the store
 * @param ownerMicros the owner's clock when it answered, in microseconds since 1970
 * @param retentionMicros how long versions are kept
 */
public record SharedVersion(int number, long version, long ownerMicros, long retentionMicros) {}
