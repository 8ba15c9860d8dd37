package petrichor.kv.memory;

import org.junit.jupiter.api.Nested;
import petrichor.kv.KeyValueStore;
import petrichor.kv.testkit.AtomicBatchConformance;
import petrichor.kv.testkit.ConditionalRowConformance;
import petrichor.kv.testkit.PlainAppendConformance;
import petrichor.kv.testkit.PlainRowConformance;
import petrichor.kv.testkit.StoreConformance;
import petrichor.kv.testkit.ViewConformance;

/** Conformance of the memory store in each of its forms. */
class MemoryConformanceTest {

    @Nested
    class AtomicBatches extends Form implements AtomicBatchConformance, ViewConformance {
        AtomicBatches() {
            super(MemoryOptions.DEFAULT);
        }
    }

    @Nested
    class AtomicBatchesWithoutViews extends Form implements AtomicBatchConformance {
        AtomicBatchesWithoutViews() {
            super(MemoryOptions.DEFAULT.withoutViews());
        }
    }

    @Nested
    class ConditionalRows extends Form implements ConditionalRowConformance {
        ConditionalRows() {
            super(MemoryOptions.DEFAULT.withTier(MemoryOptions.Tier.B).withoutViews());
        }
    }

    @Nested
    class PlainAppends extends Form implements PlainAppendConformance {
        PlainAppends() {
            super(MemoryOptions.DEFAULT.withTier(MemoryOptions.Tier.B_PLAIN).withoutViews());
        }
    }

    @Nested
    class PlainRows extends Form implements PlainRowConformance {
        PlainRows() {
            super(MemoryOptions.DEFAULT.withTier(MemoryOptions.Tier.C).withoutViews());
        }
    }

    static class Form implements StoreConformance {
        private final MemoryOptions options;

        Form(MemoryOptions options) {
            this.options = options;
        }

        @Override
        public KeyValueStore open() {
            return MemoryStore.open(options);
        }

        @Override
        public KeyValueStore reopen(KeyValueStore store) {
            return ((MemoryStore) store).reopen();
        }
    }
}
