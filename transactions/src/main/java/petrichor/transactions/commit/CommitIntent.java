package petrichor.transactions.commit;

import java.util.ArrayList;
import java.util.List;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.rows.ReadsAt;

/**
 * A commit in the form that the sequencer validates. Most have read at one version; a transaction
 * with locks may have read at several.
 *
 * @param reads in order of their versions
 * @param baseVersion the newest version read; the prior rows of the writes are as of this version
 * @param conflictKeys see {@link CommitRequest}
 */
public record CommitIntent(
        List<ReadsAt> reads, long baseVersion, List<byte[]> conflictKeys, List<RowWrite> writes) {

    /** What a change record needs at most for a commit or a key, without the key itself. */
    private static final int CHANGE_BYTES = 20;

    /** Commits nothing: completes when everything queued before it has completed. */
    public static final CommitIntent NOTHING = new CommitIntent(List.of(), 0, List.of(), List.of());

    public static CommitIntent of(CommitRequest request) {
        return of(List.of(), request);
    }

    /**
     * @param others what was read at other versions
     */
    public static CommitIntent of(List<CommitRequest> others, CommitRequest request) {
        List<ReadsAt> reads = new ArrayList<>();
        others.forEach(other -> reads.add(reads(other)));
        reads.add(reads(request));
        return new CommitIntent(
                List.copyOf(reads),
                request.baseVersion(),
                request.conflictKeys(),
                request.writes());
    }

    private static ReadsAt reads(CommitRequest request) {
        return new ReadsAt(request.baseVersion(), request.readKeys(), request.readRanges());
    }

    /** Number of rows that it adds to a durable step, including history. */
    public long rows() {
        return writes.size() + writes.stream().filter(write -> write.prior() != null).count();
    }

    /** Bytes that it adds to a durable step: rows, their history, versions, the change record. */
    public long bytes() {
        long sum = CHANGE_BYTES;
        for (byte[] key : conflictKeys) {
            sum += key.length + CHANGE_BYTES;
        }
        for (RowWrite write : writes) {
            byte[] value = write.value();
            Row prior = write.prior();
            sum += write.key().length + 16L + (value == null ? 0 : value.length);
            if (prior != null) {
                sum += write.key().length + 32L + prior.value().length;
            }
        }
        return sum;
    }
}
