package petrichor.kv.testkit;

import petrichor.kv.KeyValueStore;

/** Access of the conformance cases to a plugin's store. */
public interface StoreUnderTest {
    /** A new, empty store. The test closes it. */
    KeyValueStore open();

    /** Closes the store and opens it again, like a restart of the process. */
    KeyValueStore reopen(KeyValueStore store);
}
