package petrichor.kv;

import org.jspecify.annotations.Nullable;

/**
 * The commit point of a batch of transactions, in the best form that a store supports. A
 * <em>fence</em> is a fencing token: a number per domain (a database); a holder of an older one can
 * no longer commit, however late its writes arrive. See ARCHITECTURE, "The commit point".
 */
public sealed interface DurableStep {

    /** Outcome of a step. */
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
        /** Raises the domain's fence to a number that was never used before, and returns it. */
        long takeFence(byte[] domain);

        /** Durably writes the whole batch if {@code fence} is still the domain's newest. */
        Outcome commit(byte[] domain, long fence, WriteBatch batch);
    }

    /**
     * Tier B: a row that is written only if it does not exist (HBase checkAndMutate, Cassandra
     * LWT). A log row with the batch's full mutations is the commit point; a new owner occupies the
     * next slot with a seal.
     *
     * <p>A row belongs to one of two families for as long as it is in use: it is changed by {@link
     * #putIfNewer} alone, or by {@link #putIfAbsent} and {@link KeyValueStore#write} alone. Stores
     * order the changes of the two families by different clocks, so the result of mixing them is
     * undefined, with one exception: a versioned change replaces a row that was written before
     * without a version.
     */
    non-sealed interface ConditionalRow extends DurableStep {
        /** Durably writes a row that must not exist; FENCED if it does. */
        Outcome putIfAbsent(String table, byte[] key, byte[] value);

        /** Linearizable read of a row that {@link #putIfAbsent} wrote. */
        byte @Nullable [] read(String table, byte[] key);

        /**
         * Writes rows unless a row of the same key with a newer version exists. A version
         * identifies one batch: if two batches have the same version, either may remain.
         */
        void putIfNewer(WriteBatch batch, long version);
    }

    /**
     * Tier B where a conditional write costs several plain ones, as with Paxos. The log is then
     * written with plain writes, and the writer checks afterwards whether it was closed in the
     * meantime.
     */
    interface PlainAppend extends ConditionalRow {
        /**
         * Writes a row like {@link #putIfNewer}; when it is durable, reads another row of the
         * table: the result was read after the first row was visible to every reader.
         *
         * @return null if the other row does not exist
         */
        byte @Nullable [] putThenRead(
                String table, byte[] key, byte[] value, long version, byte[] other);
    }

    /** Tier C: no conditional writes; a plain durable put, guarded by a lease outside the store. */
    non-sealed interface PlainRow extends DurableStep {
        void put(String table, byte[] key, byte[] value);
    }
}
