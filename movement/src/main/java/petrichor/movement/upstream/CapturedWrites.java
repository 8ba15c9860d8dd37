package petrichor.movement.upstream;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.EntityDatabase;
import petrichor.entities.RowLayout;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * The keys that forwarded commits write, stored durably before a commit is sent:
 *
 * <pre>
 *   'Y' 'u' 'c' number(8) -> keys
 * </pre>
 *
 * <p>An entry is settled when the upstream has answered, and the entities of its keys can be read
 * there. A commit without an answer, such as one that a killed process sent, may still be applied:
 * its entry is settled after the longest time of a call. Thread-safe.
 */
final class CapturedWrites {
    static final byte[] PREFIX = {'Y', 'u', 'c'};

    private static final int ATTEMPTS_MAX = 100;

    private final LocalCopy local;
    private final TimeSource time;
    private final long uncertainNanos;

    /** Entries of former processes may have been sent just before this one started. */
    private final long formerUntil;

    /** When the entries of this process are settled, as a value of the nano clock. */
    private final ConcurrentMap<Long, Long> settledAt = new ConcurrentHashMap<>();

    private long last;

    CapturedWrites(LocalCopy local, TimeSource time, long uncertainNanos) {
        this.local = local;
        this.time = time;
        this.uncertainNanos = uncertainNanos;
        this.formerUntil = System.nanoTime() + uncertainNanos;
        this.last = newest();
    }

    /** An entry that can be copied. */
    record Entry(byte[] row, long number, List<Key> keys) {}

    /**
     * The entries that were stored when it was read.
     *
     * @param settled those that are settled, as many as fit, oldest first
     * @param others number of further ones
     * @param waitNanos until the first unanswered one is settled; 0 if there is none
     */
    record Pending(List<Entry> settled, int others, long waitNanos) {
        boolean isEmpty() {
            return settled.isEmpty() && others == 0;
        }
    }

    private long newest() {
        try (Snapshot snapshot = local.database().rows().snapshot();
                RowCursor cursor = snapshot.scan(KeyRange.ofPrefix(PREFIX), Direction.REVERSE)) {
            return cursor.next() ? number(cursor.key()) : 0;
        }
    }

    private static long number(byte[] row) {
        return ByteBuffer.wrap(row, PREFIX.length, Long.BYTES).getLong();
    }

    private synchronized long next() {
        last = Math.max(last + 1, time.epochMicros());
        return last;
    }

    /** Stores keys of a commit that is about to be sent; durable when it returns. */
    long add(List<Key> keys) {
        long number = next();
        settledAt.put(number, Long.MAX_VALUE);
        byte[] row =
                ByteBuffer.allocate(PREFIX.length + Long.BYTES).put(PREFIX).putLong(number).array();
        byte[] value = LookupRequest.newBuilder().addAllKeys(keys).build().toByteArray();
        EntityDatabase database = local.database();
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            try (Snapshot snapshot = database.rows().snapshot()) {
                local.requireCaptures(snapshot);
                RowWrite write = new RowWrite(row, value, null);
                if (LocalCopy.committed(
                        database,
                        new CommitRequest(
                                snapshot.version(),
                                List.of(),
                                List.of(),
                                List.of(row),
                                List.of(write)))) {
                    return number;
                }
            } catch (PetrichorException failed) {
                settledAt.remove(number);
                throw failed;
            }
        }
        throw PetrichorException.of(
                ErrorCode.ABORTED, "The keys of the commit could not be stored; try again.");
    }

    /** The upstream has answered. */
    void settle(long number) {
        settledAt.put(number, System.nanoTime());
    }

    /** The upstream has not answered: the commit may still be applied. */
    void lose(long number) {
        settledAt.put(number, System.nanoTime() + uncertainNanos);
    }

    /**
     * @param keysMax ends the settled entries when they have this many keys
     */
    Pending pending(int keysMax) {
        List<Entry> settled = new ArrayList<>();
        int others = 0;
        int keys = 0;
        long wait = 0;
        try (Snapshot snapshot = local.database().rows().snapshot();
                RowCursor cursor = snapshot.scan(KeyRange.ofPrefix(PREFIX), Direction.FORWARD)) {
            while (cursor.next()) {
                byte[] row = cursor.key();
                long number = number(row);
                long left = left(number);
                if (left <= 0 && keys >= keysMax) {
                    others++;
                } else if (left <= 0) {
                    List<Key> found = keys(cursor.value());
                    keys += found.size();
                    settled.add(new Entry(row, number, found));
                } else {
                    others++;
                    wait = left < Long.MAX_VALUE / 2 && (wait == 0 || left < wait) ? left : wait;
                }
            }
        }
        return new Pending(settled, others, wait);
    }

    private long left(long number) {
        Long at = settledAt.get(number);
        if (at == null) {
            return formerUntil - System.nanoTime();
        }
        return at == Long.MAX_VALUE ? Long.MAX_VALUE : at - System.nanoTime();
    }

    /** The copied entries do not exist any more. */
    void forget(List<Entry> entries) {
        entries.forEach(entry -> settledAt.remove(entry.number()));
    }

    private static List<Key> keys(byte[] value) {
        try {
            return LookupRequest.parseFrom(value).getKeysList();
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, damaged, "The stored keys of a commit are damaged.");
        }
    }

    /** Rows of the entities that wait to be copied. */
    Set<Bytes> rows() {
        Set<Bytes> rows = new HashSet<>();
        try (Snapshot snapshot = local.database().rows().snapshot();
                RowCursor cursor = snapshot.scan(KeyRange.ofPrefix(PREFIX), Direction.FORWARD)) {
            while (cursor.next()) {
                for (Key key : keys(cursor.value())) {
                    rows.add(Bytes.of(RowLayout.entityRow(key)));
                }
            }
        }
        return rows;
    }

    /** Age of the oldest entry in seconds; 0 if there is none. */
    double lagSeconds() {
        try (Snapshot snapshot = local.database().rows().snapshot();
                RowCursor cursor = snapshot.scan(KeyRange.ofPrefix(PREFIX), Direction.FORWARD)) {
            return cursor.next()
                    ? Math.max(0, time.epochMicros() - number(cursor.key()))
                            / (double) TimeUnit.SECONDS.toMicros(1)
                    : 0;
        }
    }
}
