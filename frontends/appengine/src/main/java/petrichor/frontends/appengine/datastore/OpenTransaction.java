package petrichor.frontends.appengine.datastore;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.MemoryBudget;
import petrichor.entities.Limits;
import petrichor.frontends.appengine.ServiceError;

/**
 * An open transaction of an app, with the writes that it will commit. Of several writes to one
 * entity the last one counts. Thread-safe.
 */
final class OpenTransaction {
    /** Tasks in one transaction, as documented for App Engine. */
    static final int ACTIONS_MAX = 5;

    /** Memory of a buffered write besides the encoded entity, roughly. */
    private static final int WRITE_OVERHEAD_BYTES = 512;

    private final ByteString id;
    private final boolean readOnly;
    private final MemoryBudget.Reservation memory;
    private final long startedNanos;
    private final Map<Key, Mutation> writes = new LinkedHashMap<>();
    private final List<TransactionalWork> works = new ArrayList<>();
    private long entityBytes;
    private int actions;
    private boolean ended;
    private volatile long usedNanos;

    OpenTransaction(
            ByteString id, boolean readOnly, MemoryBudget.Reservation memory, long nowNanos) {
        this.id = id;
        this.readOnly = readOnly;
        this.memory = memory;
        this.startedNanos = nowNanos;
        this.usedNanos = nowNanos;
    }

    /** What a transaction commits. */
    record Content(List<Mutation> mutations, List<Key> keys, List<TransactionalWork> works) {}

    /** The id in the layers below. */
    ByteString id() {
        return id;
    }

    void touch(long nowNanos) {
        usedNanos = nowNanos;
    }

    long startedNanos() {
        return startedNanos;
    }

    long usedNanos() {
        return usedNanos;
    }

    synchronized void write(Key key, Mutation mutation) {
        requireWritable("Cannot modify entities in a read-only transaction.");
        int bytes = mutation.getSerializedSize();
        if (entityBytes + bytes > Limits.COMMIT_BYTES_MAX) {
            throw V3Error.badRequest(
                    "datastore transaction or write too big: the writes of a transaction have at"
                            + " most "
                            + Limits.COMMIT_BYTES_MAX
                            + " bytes.");
        }
        reserve(bytes + WRITE_OVERHEAD_BYTES);
        Mutation replaced = writes.remove(key);
        entityBytes += bytes - (replaced == null ? 0 : replaced.getSerializedSize());
        writes.put(key, mutation);
    }

    /**
     * @param count of tasks in the work
     */
    synchronized void add(int count, TransactionalWork work) {
        requireWritable("Cannot add actions in a read-only transaction.");
        V3Error.check(
                actions + count <= ACTIONS_MAX,
                "Too many messages, maximum allowed " + ACTIONS_MAX);
        reserve(work.bytes());
        actions += count;
        works.add(work);
    }

    private void requireWritable(String otherwise) {
        if (ended) {
            throw closed();
        }
        V3Error.check(!readOnly, otherwise);
    }

    private void reserve(long bytes) {
        if (!memory.add(bytes)) {
            throw V3Error.exhausted(
                    "The open transactions of all apps buffer more writes than fits in memory;"
                            + " retry with backoff.");
        }
    }

    /** Ends it and returns what it commits. */
    synchronized Content take() {
        if (ended) {
            throw closed();
        }
        Content content =
                new Content(
                        List.copyOf(writes.values()),
                        List.copyOf(writes.keySet()),
                        List.copyOf(works));
        end();
        return content;
    }

    /** Discards its writes. */
    synchronized void end() {
        ended = true;
        writes.clear();
        works.clear();
        memory.close();
    }

    static ServiceError closed() {
        return V3Error.badRequest("transaction closed");
    }
}
