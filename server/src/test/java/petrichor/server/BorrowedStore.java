package petrichor.server;

import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyValueStore;

/** One server's connection to a shared store: closing it leaves the store open. */
final class BorrowedStore extends ForwardingStore {
    BorrowedStore(KeyValueStore shared) {
        super(shared);
    }

    @Override
    public void close() {}
}
