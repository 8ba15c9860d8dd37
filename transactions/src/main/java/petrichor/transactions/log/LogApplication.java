package petrichor.transactions.log;

import java.util.List;

/**
 * Applies the log of one database to its rows. Idempotent, and safe in several processes at once,
 * if each follows the log in order. Thread-safe. Propagates failures of a store; then only some of
 * the stores may have their rows, and the same steps can be applied again.
 */
public interface LogApplication {
    /** Steps in log order, which need not be new. */
    void apply(List<LogRecord.Batch> steps);

    /** The log is about to be taken over: what is known of the stored rows may be outdated. */
    default void restart() {}
}
