package petrichor.kv.mongodb;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.testkit.ConditionalRowConformance;
import petrichor.kv.testkit.MetamorphicConformance;
import petrichor.kv.testkit.StoreConformance;

/** The whole conformance kit, compared with the memory store, for each way of writing. */
class MongoConformanceTest {
    private static final MongoServer SERVER = MongoServer.shared();

    @Nested
    class AsFerret extends Form {
        @Override
        MongoStore open(StoreUrl url) {
            return MongoStore.open(url);
        }
    }

    /** The requests that MongoDB would get, executed by FerretDB. */
    @Tag("slow")
    @Nested
    class AsMongo extends Form {
        @Override
        MongoStore open(StoreUrl url) {
            return MongoServer.openAsMongo(url);
        }

        @Override
        @Disabled("FerretDB compares and writes in two steps; a MongoDB does it in one")
        @Test
        public void theNewestOfConcurrentlyWrittenVersionsStays() {}
    }

    abstract static class Form
            implements StoreConformance, ConditionalRowConformance, MetamorphicConformance {
        private StoreUrl opened = SERVER.newStoreToFill();

        /** Fewer than usual, as each takes seconds. */
        @Override
        public int metamorphicSeeds() {
            return 4;
        }

        abstract MongoStore open(StoreUrl url);

        @Override
        public KeyValueStore open() {
            opened = SERVER.newStoreToFill();
            return open(opened);
        }

        @Override
        public KeyValueStore reopen(KeyValueStore store) {
            store.close();
            return open(opened);
        }

        @Override
        public KeyValueStore openReference() {
            return MemoryStore.open(
                    MemoryOptions.DEFAULT.withTier(MemoryOptions.Tier.B).withoutViews());
        }

        @Override
        public KeyValueStore reopenReference(KeyValueStore reference) {
            return ((MemoryStore) reference).reopen();
        }
    }
}
