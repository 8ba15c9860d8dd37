package petrichor.kv;

import org.jspecify.annotations.Nullable;

/**
 * The commit point of a batch of transactions, in the best form that a store has. A <em>fence</em>
 * is a number per domain (a database); who holds an older one can no longer commit, however late
 * its writes arrive. See DESIGN 3.2 and ARCHITECTURE, "Where the commit point is".
 */
public sealed interface DurableStep {

    /** What became of a step. */
    enum Outcome {
        /** Durable and visible. */
        DONE,
        /** Nothing was written: a newer owner has taken the domain (or the slot). */
        FENCED,
        /** Unknown outcome: the caller must take a new fence and recover before it continues. */
        UNKNOWN
    }

    /**
     * Tier A: the fence check and all rows in one atomic, durable write (RocksDB, SQL databases, a
     * Redis script).
     */
    non-sealed interface AtomicBatch extends DurableStep {
        /** Raises the domain's fence to a number never given out before, and returns it. */
        long takeFence(byte[] domain);

        /** Writes all of it, durably, if {@code fence} is still the domain's newest. */
        Outcome commit(byte[] domain, long fence, WriteBatch batch);
    }

    /**
     * Tier B: a row that is written only if it does not exist (HBase checkAndMutate, Cassandra
     * LWT). A log row with the batch's full mutations is the commit point; a new owner occupies the
     * next slot with a seal.
     *
     * <p>A row belongs to one of two families for as long as it is in use: it is changed by {@link
     * #putIfNewer} alone, or by {@link #putIfAbsent} and {@link KeyValueStore#write} alone. Stores
     * order the changes of the two families by different clocks, so what a mixture of them leaves
     * is not defined, but for this: a versioned change replaces a row that was written before
     * without a version.
     */
    non-sealed interface ConditionalRow extends DurableStep {
        /** Durable put of a row that must not exist; FENCED if it does. */
        Outcome putIfAbsent(String table, byte[] key, byte[] value);

        /** Reads a row that {@link #putIfAbsent} wrote, linearizably. */
        byte @Nullable [] read(String table, byte[] key);

        /**
         * Writes rows unless a row of the same key with a newer version exists. A version names one
         * batch: if two batches are written with one version, either may remain.
         */
        void putIfNewer(WriteBatch batch, long version);
    }

    /**
     * Tier B where a conditional write costs several plain ones, as with Paxos. The log is written
     * with plain writes then, and the writer checks afterwards whether it was closed in the
     * meantime.
     */
    interface PlainAppend extends ConditionalRow {
        /**
         * Puts a row as {@link #putIfNewer} does; when it is durable, reads another row of the
         * table: what is returned was read after every reader could find the first one.
         *
         * @return null if there is no other row
         */
        byte @Nullable [] putThenRead(
                String table, byte[] key, byte[] value, long version, byte[] other);
    }

    /** Tier C: nothing conditional; a plain durable put, guarded by a lease outside the store. */
    non-sealed interface PlainRow extends DurableStep {
        void put(String table, byte[] key, byte[] value);
    }
}
