package petrichor.transactions.databases;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionLimits;

/** The open transactions of a database, by id. Thread-safe. */
final class TransactionRegistry {
    private final TransactionLimits limits;
    private final long databaseSalt;

    /** Transactions of earlier epochs were started by another owner, or before a restart. */
    private final long firstEpoch;

    private final RandomGenerator secrets;

    private final ConcurrentHashMap<Long, RowTransaction> open = new ConcurrentHashMap<>();
    private final AtomicLong lastNumber = new AtomicLong();

    /**
     * @param firstEpoch under which the database was taken
     * @param secrets random numbers that clients must not be able to guess
     */
    TransactionRegistry(
            TransactionLimits limits, long databaseSalt, long firstEpoch, RandomGenerator secrets) {
        this.limits = limits;
        this.secrets = secrets;
        this.databaseSalt = databaseSalt;
        this.firstEpoch = firstEpoch;
    }

    /** Grows with time: the lower of two numbers belongs to the older transaction. */
    long nextNumber() {
        return lastNumber.incrementAndGet();
    }

    TransactionId nextId(long epoch) {
        if (open.size() >= limits.transactionsOpenMax()) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "Too many transactions are open; end some, or retry with backoff.");
        }
        return new TransactionId(
                epoch, nextNumber(), salt(epoch), TransactionId.Secret.next(secrets));
    }

    /**
     * Depends on the epoch, so that ids issued before a restart are recognized without being
     * stored.
     */
    private long salt(long epoch) {
        long mixed = (databaseSalt ^ (epoch * 0x9E3779B97F4A7C15L)) * 0xBF58476D1CE4E5B9L;
        return mixed ^ (mixed >>> 31);
    }

    void add(RowTransaction transaction) {
        open.put(transaction.id().number(), transaction);
    }

    void remove(RowTransaction transaction) {
        open.remove(transaction.id().number(), transaction);
    }

    RowTransaction find(TransactionId id, long nowNanos) {
        requireOurs(id);
        if (id.epoch() < firstEpoch) {
            throw ownerGone();
        }
        RowTransaction transaction = open.get(id.number());
        if (transaction == null || !transaction.id().equals(id)) {
            throw EndedTransactions.ended();
        }
        if (transaction.expired(nowNanos, limits)) {
            transaction.expire();
            throw EndedTransactions.ended();
        }
        transaction.touch(nowNanos);
        return transaction;
    }

    /** ABORTED, so that clients restart the transaction: no state of it was kept. */
    private static PetrichorException ownerGone() {
        return PetrichorException.of(
                ErrorCode.ABORTED,
                "The transaction started before its database moved to another server, or before the"
                        + " server restarted, and cannot continue. Retry the whole transaction.");
    }

    /** An open transaction, whether or not it has expired; null if none has this id. */
    @Nullable RowTransaction peek(TransactionId id) {
        RowTransaction transaction = open.get(id.number());
        return transaction != null && transaction.id().equals(id) ? transaction : null;
    }

    void requireOurs(TransactionId id) {
        if (id.salt() != salt(id.epoch())) {
            throw PetrichorException.invalid(
                    "The transaction id does not belong to this database; check the project, the"
                            + " database and the transaction id.");
        }
    }

    void rollback(TransactionId id) {
        requireOurs(id);
        RowTransaction transaction = open.get(id.number());
        if (transaction != null && transaction.id().equals(id)) {
            transaction.expire();
        }
    }

    void expireOld(long nowNanos) {
        for (RowTransaction transaction : open.values()) {
            if (transaction.expired(nowNanos, limits)) {
                transaction.expire();
            }
        }
    }

    void expireAll() {
        for (RowTransaction transaction : open.values()) {
            transaction.expire();
        }
    }

    int size() {
        return open.size();
    }
}
