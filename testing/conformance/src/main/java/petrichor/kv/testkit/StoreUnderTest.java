package petrichor.kv.testkit;

import petrichor.kv.KeyValueStore;

/** How a plugin's test gets at its store. */
public interface StoreUnderTest {
    /** A new, empty store. A test opens one and closes it. */
    KeyValueStore open();

    /** Closes the store and opens it again: what a restart of the process does. */
    KeyValueStore reopen(KeyValueStore store);
}
