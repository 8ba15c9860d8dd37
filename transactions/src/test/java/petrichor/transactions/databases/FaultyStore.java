package petrichor.transactions.databases;

import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;
import petrichor.transactions.log.CommitLog;
import petrichor.transactions.log.LogCodec;

/** A store whose durable steps fail on demand. */
final class FaultyStore extends ForwardingStore {
    enum Fault {
        NONE,
        /** The batch is written, but its answer is lost. */
        WRITTEN_BUT_UNKNOWN,
        /** The batch is not written, and its answer is lost. */
        NOT_WRITTEN_AND_UNKNOWN,
        /** The batch is not written, and the call fails. */
        THROWS,
        /** The batch is not written, and an unexpected exception is thrown. */
        BREAKS,
        /** Every write fails. */
        READ_ONLY
    }

    final java.util.concurrent.atomic.AtomicInteger viewsOpened =
            new java.util.concurrent.atomic.AtomicInteger();
    volatile Fault fault = Fault.NONE;

    /** Runs after the batch was written and before its answer is lost. */
    volatile Runnable meanwhile = () -> {};

    /** Runs just before a step. */
    volatile Runnable before = () -> {};

    /** Runs just before a database is fenced against its former owner. */
    volatile Runnable beforeTaking = () -> {};

    volatile @Nullable CountDownLatch gate;

    /** Counted down once a thread waits at a gate. */
    final CountDownLatch atGate = new CountDownLatch(1);

    /** Reads of single rows, except through views. */
    volatile boolean readsFail;

    FaultyStore(KeyValueStore store) {
        super(store);
    }

    @Override
    public DurableStep durableStep() {
        return switch (below().durableStep()) {
            case DurableStep.AtomicBatch step -> new Batches(step);
            case DurableStep.ConditionalRow step -> new ConditionalRows(step);
            case DurableStep.PlainRow _ -> throw new IllegalArgumentException("no such tests yet");
        };
    }

    private DurableStep.Outcome meetFault(Supplier<DurableStep.Outcome> write) {
        waitAtGate();
        before.run();
        Fault now = fault;
        if (now != Fault.READ_ONLY) {
            fault = Fault.NONE;
        }
        return switch (now) {
            case NONE -> write.get();
            case WRITTEN_BUT_UNKNOWN -> {
                var _ = write.get();
                meanwhile.run();
                yield DurableStep.Outcome.UNKNOWN;
            }
            case NOT_WRITTEN_AND_UNKNOWN -> DurableStep.Outcome.UNKNOWN;
            case BREAKS -> throw new AssertionError("broken on purpose");
            case THROWS, READ_ONLY -> throw diskIsFull();
        };
    }

    private void requireWritable() {
        if (fault == Fault.READ_ONLY) {
            throw diskIsFull();
        }
    }

    private static PetrichorException diskIsFull() {
        return new PetrichorException(ErrorCode.UNAVAILABLE, "The disk is full.");
    }

    private final class Batches implements DurableStep.AtomicBatch {
        private final DurableStep.AtomicBatch step;

        Batches(DurableStep.AtomicBatch step) {
            this.step = step;
        }

        @Override
        public long takeFence(byte[] domain) {
            beforeTaking.run();
            requireWritable();
            return step.takeFence(domain);
        }

        @Override
        public Outcome commit(byte[] domain, long fence, WriteBatch batch) {
            return meetFault(() -> step.commit(domain, fence, batch));
        }
    }

    /** Faults affect batches in the log; a takeover encounters only a full disk. */
    private final class ConditionalRows implements DurableStep.ConditionalRow {
        private final DurableStep.ConditionalRow step;

        ConditionalRows(DurableStep.ConditionalRow step) {
            this.step = step;
        }

        @Override
        public Outcome putIfAbsent(String table, byte[] key, byte[] value) {
            if (table.equals(CommitLog.TABLE) && value[0] == LogCodec.BATCH) {
                return meetFault(() -> step.putIfAbsent(table, key, value));
            }
            if (table.equals(CommitLog.TABLE)) {
                beforeTaking.run();
            }
            requireWritable();
            return step.putIfAbsent(table, key, value);
        }

        @Override
        public byte @Nullable [] read(String table, byte[] key) {
            return step.read(table, key);
        }

        @Override
        public void putIfNewer(WriteBatch batch, long version) {
            requireWritable();
            step.putIfNewer(batch, version);
        }
    }

    private void waitAtGate() {
        CountDownLatch closed = gate;
        if (closed != null) {
            atGate.countDown();
            try {
                closed.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public StoreView view() {
        viewsOpened.incrementAndGet();
        return super.view();
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        if (readsFail) {
            throw new PetrichorException(ErrorCode.UNAVAILABLE, "The disk cannot be read.");
        }
        return super.get(table, key);
    }
}
