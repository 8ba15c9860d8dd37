package petrichor.kv.dynamodb;

import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.testkit.ConditionalRowConformance;
import petrichor.kv.testkit.MetamorphicConformance;
import petrichor.kv.testkit.StoreConformance;

/** Conformance of DynamoDB. */
class DynamoDbConformanceTest
        implements StoreConformance, ConditionalRowConformance, MetamorphicConformance {
    @Override
    public KeyValueStore open() {
        return TestDynamoDb.open(TestDynamoDb.newUrl());
    }

    @Override
    public KeyValueStore reopen(KeyValueStore store) {
        return TestDynamoDb.reopen(store);
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
