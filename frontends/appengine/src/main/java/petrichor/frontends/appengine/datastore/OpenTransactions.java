package petrichor.frontends.appengine.datastore;

import com.google.protobuf.ByteString;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionLimits;

/**
 * The open transactions of all apps whose databases this server owns. This API names a transaction
 * by 64 bits, its handle, and sends writes before the commit; both are kept here, in memory, until
 * the transaction ends or expires. Thread-safe.
 *
 * <p>A handle contains bits of the owner's epoch. So a transaction that another owner started is
 * recognized: the app must retry it.
 */
final class OpenTransactions {
    /** Ended transactions that a retry may name, about 150 bytes each. */
    private static final int ENDED_MAX = 10_000;

    private static final long SWEEP_NANOS = 1_000_000_000;
    private static final int EPOCH_BITS = 15;
    private static final int RANDOM_BITS = 48;

    private final TransactionLimits limits;
    private final MemoryBudget memory;
    private final TimeSource time;
    private final RandomGenerator chance;
    private final ConcurrentMap<Name, OpenTransaction> open = new ConcurrentHashMap<>();
    private final AtomicLong sweptNanos;

    /** The newest ones; guarded by itself. */
    private final Map<Name, ByteString> ended =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Name, ByteString> eldest) {
                    return size() > ENDED_MAX;
                }
            };

    private record Name(String project, long handle) {}

    /**
     * @param limits when transactions expire
     * @param memory for the writes of open transactions
     * @param chance for handles
     */
    OpenTransactions(
            TransactionLimits limits,
            MemoryBudget memory,
            TimeSource time,
            RandomGenerator chance) {
        this.limits = limits;
        this.memory = memory;
        this.time = time;
        this.chance = chance;
        this.sweptNanos = new AtomicLong(time.monotonicNanos());
    }

    /**
     * @param id in the layers below
     * @return the handle, never negative
     */
    long add(String project, ByteString id, boolean readOnly) {
        sweep();
        long epoch = epochBits(id);
        while (true) {
            long handle = epoch << RANDOM_BITS | chance.nextLong() >>> (Long.SIZE - RANDOM_BITS);
            OpenTransaction transaction =
                    new OpenTransaction(id, readOnly, memory.reservation(), time.monotonicNanos());
            if (handle != 0 && open.putIfAbsent(new Name(project, handle), transaction) == null) {
                return handle;
            }
        }
    }

    /** Null if it has ended or expired, or never existed. */
    @Nullable OpenTransaction find(String project, long handle) {
        sweep();
        OpenTransaction transaction = open.get(new Name(project, handle));
        if (transaction != null) {
            transaction.touch(time.monotonicNanos());
        }
        return transaction;
    }

    /** The id in the layers below of a transaction that has not ended long ago. */
    @Nullable ByteString id(String project, long handle) {
        OpenTransaction transaction = open.get(new Name(project, handle));
        if (transaction != null) {
            return transaction.id();
        }
        synchronized (ended) {
            return ended.get(new Name(project, handle));
        }
    }

    /** Discards the writes of the transaction, if it is open. */
    void end(String project, long handle) {
        end(new Name(project, handle));
    }

    private void end(Name name) {
        OpenTransaction transaction = open.remove(name);
        if (transaction != null) {
            transaction.end();
            synchronized (ended) {
                ended.put(name, transaction.id());
            }
        }
    }

    /** Whether the owner with this transaction id may have issued the handle. */
    static boolean sameEpoch(long handle, ByteString id) {
        return handle >>> RANDOM_BITS == epochBits(id);
    }

    private static long epochBits(ByteString id) {
        long epoch = TransactionId.parse(id.toByteArray()).map(TransactionId::epoch).orElse(0L);
        return epoch & ((1L << EPOCH_BITS) - 1);
    }

    /** Discards what expired transactions buffered; the layers below have ended them. */
    private void sweep() {
        long now = time.monotonicNanos();
        long last = sweptNanos.get();
        if (now - last < SWEEP_NANOS || !sweptNanos.compareAndSet(last, now)) {
            return;
        }
        open.forEach(
                (name, transaction) -> {
                    if (expired(transaction, now)) {
                        end(name);
                    }
                });
    }

    private boolean expired(OpenTransaction transaction, long nowNanos) {
        return nowNanos - transaction.usedNanos() > limits.transactionIdle().toNanos()
                || nowNanos - transaction.startedNanos() > limits.transactionTotal().toNanos();
    }

    int size() {
        return open.size();
    }
}
