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
    /** Numbers of the first block; each further one is twice as large, up to the limit. */
    private static final int BLOCK = 32;

    private static final int BLOCK_MAX = 8_192;

    private static final int ATTEMPTS_MAX = 100;

    /** The numbers that this process has allocated and not used. */
    private static final class Block {
        private final ReentrantLock turn = new ReentrantLock();
        private long next;
        private int left;
        private int size = BLOCK;
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
        return next(id, options, 1);
    }

    /** The first of {@code count} numbers in succession, of a sequence that has as many left. */
    long next(long id, SequenceOptions options, int count) {
        Block block = blocks.computeIfAbsent(id, _ -> new Block());
        block.turn.lock();
        try {
            if (block.left < count) {
                NumberBlock allocated = allocate(id, options, Math.max(count, block.size));
                block.next = allocated.first();
                block.left = allocated.count();
                block.size = Math.min(BLOCK_MAX, block.size * 2);
            }
            long number = block.next;
            block.next += count * options.increment();
            block.left -= count;
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
