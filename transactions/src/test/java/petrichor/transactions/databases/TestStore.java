package petrichor.transactions.databases;

import petrichor.kv.memory.MemoryOptions;

/** The kinds of stores on which tests run. */
enum TestStore {
    MEMORY_WITH_VIEWS,
    MEMORY_WITHOUT_VIEWS,
    /** Writes single rows conditionally: commits use a log. */
    MEMORY_WITH_LOG,
    /** With expensive conditional writes: the log uses plain writes. */
    MEMORY_WITH_PLAIN_LOG,
    ROCKSDB;

    /** Options of the store in memory. */
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
