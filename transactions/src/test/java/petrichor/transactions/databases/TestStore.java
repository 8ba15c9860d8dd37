package petrichor.transactions.databases;

import petrichor.kv.memory.MemoryOptions;

/** The stores that a test runs on. */
enum TestStore {
    MEMORY_WITH_VIEWS,
    MEMORY_WITHOUT_VIEWS,
    /** Writes single rows conditionally: commits go through a log. */
    MEMORY_WITH_LOG,
    /** So that it is dear: the log is written plainly. */
    MEMORY_WITH_PLAIN_LOG,
    ROCKSDB;

    /** Of a store in memory. */
    MemoryOptions options() {
        return switch (this) {
            case MEMORY_WITH_VIEWS -> MemoryOptions.DEFAULT;
            case MEMORY_WITHOUT_VIEWS -> MemoryOptions.DEFAULT.withoutViews();
            case MEMORY_WITH_LOG ->
                    MemoryOptions.DEFAULT.withTier(MemoryOptions.Tier.B).withoutViews();
            case MEMORY_WITH_PLAIN_LOG ->
                    MemoryOptions.DEFAULT.withTier(MemoryOptions.Tier.B_PLAIN).withoutViews();
            case ROCKSDB -> throw new IllegalArgumentException("not in memory");
        };
    }
}
