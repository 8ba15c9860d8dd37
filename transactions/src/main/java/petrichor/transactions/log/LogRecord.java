package petrichor.transactions.log;

import petrichor.kv.WriteBatch;

/** What a slot of the log holds. */
public sealed interface LogRecord {
    /**
     * Records are distinguished by this number: a process that finds its own record in a slot has
     * written it.
     */
    long nonce();

    /**
     * A durable step: any reader may apply it, any number of times.
     *
     * @param version higher than that of every record before it
     */
    record Batch(long epoch, long version, long nonce, WriteBatch rows) implements LogRecord {}

    /**
     * Nothing more comes in this epoch: its owner's next append finds the slot taken. The log
     * continues at the first slot of the next epoch, whose owner wrote the seal.
     */
    record Seal(long nextEpoch, long nonce) implements LogRecord {}
}
