package petrichor.server;

import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyValueStore;

/** One server's connection to a store that others use, too: closing it leaves the store open. */
final class BorrowedStore extends ForwardingStore {
    BorrowedStore(KeyValueStore shared) {
        super(shared);
    }

    @Override
    public void close() {}
}
