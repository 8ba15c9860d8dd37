package petrichor.server.metrics;

import org.jspecify.annotations.Nullable;
import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;

/** Measures the commit point of a store; the wrapper has the kind of the wrapped step. */
final class MeteredSteps {
    private MeteredSteps() {}

    static DurableStep of(DurableStep below, StoreMeter meter) {
        return switch (below) {
            case DurableStep.AtomicBatch step -> new Batches(step, meter);
            case DurableStep.PlainAppend step -> new Appends(step, meter);
            case DurableStep.ConditionalRow step -> new ConditionalRows(step, meter);
            case DurableStep.PlainRow step -> new PlainRows(step, meter);
        };
    }

    private static void run(StoreMeter meter, StoreOperation operation, Runnable work) {
        boolean _ =
                meter.measure(
                        operation,
                        () -> {
                            work.run();
                            return true;
                        });
    }

    private record Batches(DurableStep.AtomicBatch below, StoreMeter meter)
            implements DurableStep.AtomicBatch {
        @Override
        public long takeFence(byte[] domain) {
            return meter.measure(StoreOperation.TAKE_FENCE, () -> below.takeFence(domain));
        }

        @Override
        public Outcome commit(byte[] domain, long fence, WriteBatch batch) {
            return meter.measure(StoreOperation.COMMIT, () -> below.commit(domain, fence, batch));
        }
    }

    private static class ConditionalRows implements DurableStep.ConditionalRow {
        private final DurableStep.ConditionalRow below;
        final StoreMeter meter;

        ConditionalRows(DurableStep.ConditionalRow below, StoreMeter meter) {
            this.below = below;
            this.meter = meter;
        }

        @Override
        public Outcome putIfAbsent(String table, byte[] key, byte[] value) {
            return meter.measure(
                    StoreOperation.PUT_IF_ABSENT, () -> below.putIfAbsent(table, key, value));
        }

        @Override
        public byte @Nullable [] read(String table, byte[] key) {
            return meter.<byte @Nullable []>measure(
                    StoreOperation.GET, () -> below.read(table, key));
        }

        @Override
        public void putIfNewer(WriteBatch batch, long version) {
            run(meter, StoreOperation.PUT_IF_NEWER, () -> below.putIfNewer(batch, version));
        }
    }

    private static final class Appends extends ConditionalRows implements DurableStep.PlainAppend {
        private final DurableStep.PlainAppend below;

        Appends(DurableStep.PlainAppend below, StoreMeter meter) {
            super(below, meter);
            this.below = below;
        }

        @Override
        public byte @Nullable [] putThenRead(
                String table, byte[] key, byte[] value, long version, byte[] other) {
            return meter.<byte @Nullable []>measure(
                    StoreOperation.APPEND,
                    () -> below.putThenRead(table, key, value, version, other));
        }
    }

    private record PlainRows(DurableStep.PlainRow below, StoreMeter meter)
            implements DurableStep.PlainRow {
        @Override
        public void put(String table, byte[] key, byte[] value) {
            run(meter, StoreOperation.WRITE, () -> below.put(table, key, value));
        }
    }
}
