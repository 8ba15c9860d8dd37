package petrichor.bench;

import org.jspecify.annotations.Nullable;
import petrichor.kv.DurableStep;
import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;

/**
 * A store whose durable steps are watched: each is shown before it is taken and after. Owns the
 * store below.
 */
public final class WatchedStore extends ForwardingStore {
    /** Is told of durable steps, by the thread that takes them. */
    @FunctionalInterface
    public interface Watcher {
        /**
         * @param rows what will be durable after the step
         */
        void begins(WriteBatch rows);

        default void ended() {}
    }

    private final Watcher watcher;

    public WatchedStore(KeyValueStore below, Watcher watcher) {
        super(below);
        this.watcher = watcher;
    }

    @Override
    public DurableStep durableStep() {
        return switch (below().durableStep()) {
            case DurableStep.AtomicBatch step -> new WatchedBatch(step, watcher);
            case DurableStep.PlainAppend step -> new WatchedAppend(step, watcher);
            case DurableStep.ConditionalRow step -> new WatchedRow(step, watcher);
            case DurableStep.PlainRow step -> step;
        };
    }

    private record WatchedBatch(DurableStep.AtomicBatch step, Watcher watcher)
            implements DurableStep.AtomicBatch {
        @Override
        public long takeFence(byte[] domain) {
            return step.takeFence(domain);
        }

        @Override
        public Outcome commit(byte[] domain, long fence, WriteBatch batch) {
            watcher.begins(batch);
            Outcome outcome = step.commit(domain, fence, batch);
            watcher.ended();
            return outcome;
        }
    }

    /** The row that is looked after when it is written is the step. */
    private static final class WatchedAppend extends WatchedRow implements DurableStep.PlainAppend {
        private final DurableStep.PlainAppend step;
        private final Watcher watcher;

        WatchedAppend(DurableStep.PlainAppend step, Watcher watcher) {
            super(step, watcher);
            this.step = step;
            this.watcher = watcher;
        }

        @Override
        public byte @Nullable [] putThenRead(
                String table, byte[] key, byte[] value, long version, byte[] other) {
            watcher.begins(new WriteBatch().put(table, key, value));
            byte[] read = step.putThenRead(table, key, value, version, other);
            watcher.ended();
            return read;
        }
    }

    /** The row that is only written if absent is the step; applying what it says is none. */
    private static class WatchedRow implements DurableStep.ConditionalRow {
        private final DurableStep.ConditionalRow step;
        private final Watcher watcher;

        WatchedRow(DurableStep.ConditionalRow step, Watcher watcher) {
            this.step = step;
            this.watcher = watcher;
        }

        @Override
        public Outcome putIfAbsent(String table, byte[] key, byte[] value) {
            watcher.begins(new WriteBatch().put(table, key, value));
            Outcome outcome = step.putIfAbsent(table, key, value);
            watcher.ended();
            return outcome;
        }

        @Override
        public byte @Nullable [] read(String table, byte[] key) {
            return step.read(table, key);
        }

        @Override
        public void putIfNewer(WriteBatch batch, long version) {
            step.putIfNewer(batch, version);
        }
    }
}
