package petrichor.transactions.locks;

import java.util.ArrayList;
import java.util.List;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.transactions.rows.ReadsAt;

/**
 * The reads and intended writes of a transaction that lost a conflict: its retry locks these before
 * it reads.
 *
 * @param age of its first attempt
 */
public record AccessSet(long age, List<byte[]> written, List<ReadsAt> reads) {
    /** A larger set is not worth its memory; the retry then runs without a head start. */
    private static final int LOCKS_MAX = 1_000;

    boolean small() {
        int size = written.size();
        for (ReadsAt group : reads) {
            size += group.keys().size() + group.ranges().size();
        }
        return size <= LOCKS_MAX;
    }

    /** In one order for all transactions, to reduce lock conflicts between them. */
    public List<LockTable.Lock> locks(LockTable.Owner owner) {
        List<LockTable.Lock> locks = new ArrayList<>();
        for (byte[] key : written.stream().sorted(Bytes::compare).toList()) {
            locks.add(LockTable.exclusive(owner, key));
        }
        for (ReadsAt group : reads) {
            for (byte[] key : group.keys().stream().sorted(Bytes::compare).toList()) {
                locks.add(LockTable.shared(owner, key));
            }
            for (KeyRange range : group.ranges()) {
                locks.add(LockTable.shared(owner, range));
            }
        }
        return locks;
    }
}
