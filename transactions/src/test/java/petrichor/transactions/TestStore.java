package petrichor.transactions;

/** The stores that a test runs on. */
enum TestStore {
    MEMORY_WITH_VIEWS,
    MEMORY_WITHOUT_VIEWS,
    /** Writes single rows conditionally: commits go through a log. */
    MEMORY_WITH_LOG,
    ROCKSDB
}
