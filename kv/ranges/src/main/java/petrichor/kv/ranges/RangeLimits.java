package petrichor.kv.ranges;

import java.time.Duration;

/**
 * Limits on the size of partitions, and on how long a split may delay other requests. Partition
 * sizes are approximate counts per process, so a partition may become a few times as big when many
 * processes write to it.
 *
 * @param rowsMax a partition with more rows is split
 * @param bytesMax a partition with more bytes of keys and values is split
 * @param changesMax a partition with more changes than this is rewritten even if little is left in
 *     it, because deletions are kept
 * @param pageRowsMax maximum rows per scan request
 * @param pageBytes approximate bytes of rows per scan request
 * @param pause interval between checks whether a split is done
 * @param pausesBeforeHelp number of pauses after which a waiting caller finishes the split: the
 *     process that started it may have failed
 * @param pausesMax number of pauses after which a waiting caller gives up
 */
public record RangeLimits(
        int rowsMax,
        long bytesMax,
        long changesMax,
        int pageRowsMax,
        int pageBytes,
        Duration pause,
        int pausesBeforeHelp,
        int pausesMax) {

    public static final RangeLimits DEFAULT =
            new RangeLimits(
                    100_000, 64L << 20, 500_000, 1_000, 1 << 20, Duration.ofMillis(20), 100, 500);

    public RangeLimits {
        if (rowsMax < 2 || bytesMax < 1 || changesMax < 1 || pageRowsMax < 1 || pageBytes < 1) {
            throw new IllegalArgumentException("a partition holds at least two rows");
        }
        if (pausesMax < pausesBeforeHelp) {
            throw new IllegalArgumentException(
                    "the timeout must be longer than the delay before helping");
        }
    }

    RangeLimits withPartitionsOf(int rows, long bytes, long changes) {
        return new RangeLimits(
                rows, bytes, changes, pageRowsMax, pageBytes, pause, pausesBeforeHelp, pausesMax);
    }
}
