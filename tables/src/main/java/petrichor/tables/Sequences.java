package petrichor.tables;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.Database;
import petrichor.transactions.TransactionOptions;

/**
 * Numbers of sequences, identity columns and rows without a primary key. A block of numbers is
 * allocated in a transaction of its own, so that writers of a table do not conflict; numbers of a
 * block that are left when the process ends are skipped. Thread-safe.
 */
final class Sequences {
    /** Numbers per block. */
    private static final int BLOCK = 32;

    private static final int ATTEMPTS_MAX = 100;

    /** The numbers that this process has allocated and not used. */
    private static final class Block {
        private final ReentrantLock turn = new ReentrantLock();
        private long next;
        private int left;
    }

    private final Database database;
    private final long bytesMax;
    private final ConcurrentHashMap<Long, Block> blocks = new ConcurrentHashMap<>();

    Sequences(Database database, long bytesMax) {
        this.database = database;
        this.bytesMax = bytesMax;
    }

    /** FAILED_PRECONDITION if the sequence has reached its limit. */
    long next(long id, SequenceOptions options) {
        Block block = blocks.computeIfAbsent(id, _ -> new Block());
        block.turn.lock();
        try {
            if (block.left == 0) {
                NumberBlock allocated = allocate(id, options, BLOCK);
                block.next = allocated.first();
                block.left = allocated.count();
            }
            long number = block.next;
            block.next += options.increment();
            block.left--;
            return number;
        } finally {
            block.turn.unlock();
        }
    }

    /** FAILED_PRECONDITION if the sequence has reached its limit. */
    NumberBlock allocate(long id, SequenceOptions options, int most) {
        byte[] key = TableKeys.sequence(id);
        for (int attempt = 1; ; attempt++) {
            try (TableTransaction transaction =
                    TableTransaction.of(
                            database.begin(new TransactionOptions.Optimistic(null)), bytesMax)) {
                long first = first(transaction.get(key, 0), options);
                int count = options.count(first, most);
                boolean ends = count < most;
                ValueWriter state = new ValueWriter(12);
                state.put(ends ? 1 : 0);
                state.putSigned(first + (ends ? count - 1 : count) * options.increment());
                transaction.write(key, state.toBytes());
                transaction.commit();
                return new NumberBlock(first, count);
            } catch (PetrichorException failed) {
                if (failed.code() != ErrorCode.ABORTED || attempt == ATTEMPTS_MAX) {
                    throw failed;
                }
            }
        }
    }

    private static long first(byte @Nullable [] state, SequenceOptions options) {
        if (state == null) {
            return options.start();
        }
        ValueReader in = new ValueReader(state);
        boolean ended = in.take() == 1;
        long next = in.takeSigned();
        if (!ended) {
            return next;
        }
        if (!options.cycle()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The sequence has reached its limit of {limit}; restart it or let it cycle.",
                    "limit",
                    next);
        }
        return options.increment() > 0 ? options.min() : options.max();
    }
}
