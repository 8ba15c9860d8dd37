package petrichor.transactions;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;

/** A store with atomic batches whose durable steps go wrong when a test says so. */
final class FaultyStore implements KeyValueStore {
    enum Fault {
        NONE,
        /** The batch is written, and the answer is lost. */
        WRITTEN_BUT_UNKNOWN,
        /** The batch is not written, and the answer is lost. */
        NOT_WRITTEN_AND_UNKNOWN,
        /** The batch is not written, and the call fails. */
        THROWS,
        /** The batch is not written, and something breaks that nobody thought of. */
        BREAKS,
        /** Nothing that writes works. */
        READ_ONLY
    }

    private final KeyValueStore store;
    private final DurableStep.AtomicBatch step;
    final java.util.concurrent.atomic.AtomicInteger viewsOpened =
            new java.util.concurrent.atomic.AtomicInteger();
    volatile Fault fault = Fault.NONE;

    /** What others do after the batch was written and before its answer is lost. */
    volatile Runnable meanwhile = () -> {};

    volatile @Nullable CountDownLatch gate;

    /** Of single rows, past the views. */
    volatile boolean readsFail;

    FaultyStore(KeyValueStore store) {
        this.store = store;
        if (!(store.durableStep() instanceof DurableStep.AtomicBatch atomic)) {
            throw new IllegalArgumentException("needs a store with atomic batches");
        }
        this.step = atomic;
    }

    @Override
    public DurableStep durableStep() {
        return new DurableStep.AtomicBatch() {
            @Override
            public long takeFence(byte[] domain) {
                if (fault == Fault.READ_ONLY) {
                    throw new PetrichorException(ErrorCode.UNAVAILABLE, "The disk is full.");
                }
                return step.takeFence(domain);
            }

            @Override
            public Outcome commit(byte[] domain, long fence, WriteBatch batch) {
                waitAtGate();
                Fault now = fault;
                if (now != Fault.READ_ONLY) {
                    fault = Fault.NONE;
                }
                return switch (now) {
                    case NONE -> step.commit(domain, fence, batch);
                    case WRITTEN_BUT_UNKNOWN -> {
                        step.commit(domain, fence, batch);
                        meanwhile.run();
                        yield Outcome.UNKNOWN;
                    }
                    case NOT_WRITTEN_AND_UNKNOWN -> Outcome.UNKNOWN;
                    case BREAKS -> throw new AssertionError("broken on purpose");
                    case THROWS, READ_ONLY ->
                            throw new PetrichorException(
                                    ErrorCode.UNAVAILABLE, "The disk is full.");
                };
            }
        };
    }

    private void waitAtGate() {
        CountDownLatch closed = gate;
        if (closed != null) {
            try {
                closed.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public Capabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public Set<String> tables() {
        return store.tables();
    }

    @Override
    public void createTable(String table) {
        store.createTable(table);
    }

    @Override
    public void dropTable(String table) {
        store.dropTable(table);
    }

    @Override
    public void write(WriteBatch batch) {
        store.write(batch);
    }

    @Override
    public StoreView view() {
        viewsOpened.incrementAndGet();
        return store.view();
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        if (readsFail) {
            throw new PetrichorException(ErrorCode.UNAVAILABLE, "The disk cannot be read.");
        }
        return store.get(table, key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        return store.get(table, keys);
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        return store.scan(table, range, direction, limit);
    }

    @Override
    public void close() {
        store.close();
    }
}
