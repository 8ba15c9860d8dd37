package petrichor.transactions.rows;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;

/**
 * The rows and ranges that a transaction has read, by read version. Confined to its transaction.
 */
public final class ReadSet {
    private static final int ENTRY_BYTES = 48;

    /** Unit of reservation, so that most reads reserve nothing. */
    private static final int RESERVED_BYTES = 4 << 10;

    private final long bytesMax;
    private final MemoryBudget.Reservation memory;
    private final List<ReadsAt> groups = new ArrayList<>();
    private final Set<Bytes> guards = new HashSet<>(0);
    private long bytes;
    private boolean apart;

    /**
     * @param memory shared by all transactions of the process; {@link #release} returns the
     *     reservation
     */
    public ReadSet(long bytesMax, MemoryBudget memory) {
        this.bytesMax = bytesMax;
        this.memory = memory.reservation();
    }

    public void key(long version, byte[] key) {
        charge(key.length);
        groupOf(version).keys().add(key);
    }

    /** A row that is only validated: a retry of the transaction need not lock it. */
    public void guard(long version, byte[] key) {
        key(version, key);
        guards.add(Bytes.of(key));
    }

    public void range(long version, KeyRange range) {
        byte[] to = range.to();
        charge(range.from().length + (to == null ? 0 : to.length));
        groupOf(version).ranges().add(range);
    }

    private void charge(int length) {
        bytes += ENTRY_BYTES + length;
        if (bytes > bytesMax) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "The transaction has read too many rows to track; read fewer in one"
                            + " transaction, or use a read-only transaction.");
        }
        long missing = bytes - memory.bytes();
        if (missing > 0 && !memory.add(Math.max(missing, RESERVED_BYTES))) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "The open transactions have read too many rows to track"
                            + " (server.memory-percent); end some, read fewer rows in each, or use"
                            + " read-only transactions.");
        }
    }

    /** Releases the memory at the end of the transaction. */
    public void release() {
        memory.close();
    }

    private ReadsAt groupOf(long version) {
        if (apart || groups.isEmpty() || groups.getLast().version() != version) {
            apart = false;
            groups.add(new ReadsAt(version, new ArrayList<>(), new ArrayList<>()));
        }
        return groups.getLast();
    }

    /** The next read starts a group of its own, also at the same version; returns its number. */
    public int startGroup() {
        apart = true;
        return groups.size();
    }

    /** Forgets the reads of a group and of all after it. Their memory stays reserved. */
    public void forget(int group) {
        groups.subList(Math.min(group, groups.size()), groups.size()).clear();
        apart = true;
    }

    /** A copy: later additions by a cursor do not affect validation. */
    public List<ReadsAt> groups() {
        List<ReadsAt> copy = new ArrayList<>(groups.size());
        for (ReadsAt group : groups) {
            copy.add(
                    new ReadsAt(
                            group.version(),
                            List.copyOf(group.keys()),
                            List.copyOf(group.ranges())));
        }
        return copy;
    }

    /** What a retry is likely to read again: {@link #groups} without guards. */
    public List<ReadsAt> access() {
        List<ReadsAt> access = groups();
        if (!guards.isEmpty()) {
            access.replaceAll(
                    group ->
                            new ReadsAt(
                                    group.version(),
                                    group.keys().stream()
                                            .filter(key -> !guards.contains(Bytes.of(key)))
                                            .toList(),
                                    group.ranges()));
        }
        return access;
    }

    public boolean isEmpty() {
        return groups.isEmpty();
    }

    public boolean isOneSnapshot() {
        return groups.isEmpty()
                || groups.stream().allMatch(one -> one.version() == groups.getFirst().version());
    }
}
