package petrichor.transactions.log;

import petrichor.kv.WriteBatch;

/** The content of a log slot. */
public sealed interface LogRecord {
    /**
     * Identifies the record: a process that finds its own nonce in a slot has written that record.
     */
    long nonce();

    /**
     * A durable step. Applying it is idempotent, and any reader may do so.
     *
     * @param version higher than that of every earlier record
     */
    record Batch(long epoch, long version, long nonce, WriteBatch rows) implements LogRecord {}

    /**
     * Ends the epoch: the next append of its owner finds the slot taken. The log continues at the
     * first slot of the next epoch, whose owner wrote the seal.
     */
    record Seal(long nextEpoch, long nonce) implements LogRecord {}
}
