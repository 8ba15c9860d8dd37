package petrichor.transactions;

/** The stores that a test runs on. */
enum TestStore {
    MEMORY_WITH_VIEWS,
    MEMORY_WITHOUT_VIEWS,
    ROCKSDB
}
