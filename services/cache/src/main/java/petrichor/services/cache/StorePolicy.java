package petrichor.services.cache;

/** The condition under which an item is stored. */
public sealed interface StorePolicy {
    StorePolicy SET = new Set();
    StorePolicy ADD = new Add();
    StorePolicy REPLACE = new Replace();

    /** Always, even if the key is locked. */
    record Set() implements StorePolicy {}

    /** Only if there is no item and the key is not locked. */
    record Add() implements StorePolicy {}

    /** Only if there is an item. */
    record Replace() implements StorePolicy {}

    /** Only if the item was not written since it was read with this id. */
    record CompareAndSet(long casId) implements StorePolicy {}
}
