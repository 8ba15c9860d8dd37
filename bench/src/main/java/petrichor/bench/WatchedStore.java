package petrichor.bench;

import org.jspecify.annotations.Nullable;
import petrichor.kv.DurableStep;
import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;

/** A store that reports each durable step before and after its execution. Owns the store below. */
public final class WatchedStore extends ForwardingStore {
    /** Observes durable steps, on the thread that executes them. */
    @FunctionalInterface
    public interface Watcher {
        /**
         * @param rows rows that the step makes durable
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

    /** The step is the write of a row that is observed. */
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

    /** The step is the write of a conditional row; applying its content is not. */
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
