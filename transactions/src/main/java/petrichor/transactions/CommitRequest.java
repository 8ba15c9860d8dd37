package petrichor.transactions;

import java.util.List;
import petrichor.kv.KeyRange;

/**
 * What a writer hands to the sequencer. It commits if no key of {@code readKeys} or {@code
 * conflictKeys} and no row of {@code readRanges} was written after {@code baseVersion}.
 *
 * @param baseVersion the snapshot version at which everything was read
 * @param readKeys rows that were read and not written
 * @param readRanges ranges that were scanned, only as far as the reader got
 * @param conflictKeys the rows by which writers of the same thing meet (an entity's row, say): a
 *     subset of the written keys; other written rows must be functions of these
 * @param writes all rows, also those of indexes
 */
public record CommitRequest(
        long baseVersion,
        List<byte[]> readKeys,
        List<KeyRange> readRanges,
        List<byte[]> conflictKeys,
        List<RowWrite> writes) {}
