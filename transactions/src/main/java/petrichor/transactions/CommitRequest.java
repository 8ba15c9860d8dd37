package petrichor.transactions;

import java.util.List;
import petrichor.kv.KeyRange;

/**
 * The reads and writes of a commit, as submitted to the sequencer. It commits if no key of {@code
 * readKeys} or {@code conflictKeys} and no row of {@code readRanges} was written after {@code
 * baseVersion}.
 *
 * @param baseVersion the snapshot version at which everything was read
 * @param readKeys rows that were read and not written
 * @param readRanges scanned ranges, up to where the reader stopped
 * @param conflictKeys the written rows on which concurrent writers of the same object conflict,
 *     such as the row of an entity: a subset of the written keys; other written rows must be
 *     functions of these
 * @param writes all rows, including those of indexes
 */
public record CommitRequest(
        long baseVersion,
        List<byte[]> readKeys,
        List<KeyRange> readRanges,
        List<byte[]> conflictKeys,
        List<RowWrite> writes) {}
