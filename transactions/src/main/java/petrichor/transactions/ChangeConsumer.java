package petrichor.transactions;

/**
 * A named reader of the change feed whose position is stored in the database. What it has not read
 * is kept beyond the retention period, up to {@link TransactionLimits#consumerHold}.
 *
 * @param position every commit up to here has been processed
 * @param movedMicros when the position was stored, in microseconds since 1970
 */
public record ChangeConsumer(String name, long position, long movedMicros) {
    /** Consumers per database. */
    public static final int CONSUMERS_MAX = 100;

    /** Letters, digits, dots, hyphens and underscores. */
    public static final int NAME_LENGTH_MAX = 100;
}
