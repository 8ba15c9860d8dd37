package petrichor.transactions.rows;

import org.jspecify.annotations.Nullable;
import petrichor.base.KeyTree;

/**
 * A recently written or deleted row in memory.
 *
 * @param value null if the row is deleted
 * @param version of the durable step that wrote it
 */
record RecentRow(byte @Nullable [] value, long version) {
    /** Removes the row if it still has this version. */
    static @Nullable KeyTree<RecentRow> remove(
            @Nullable KeyTree<RecentRow> tree, byte[] key, long version) {
        KeyTree<RecentRow> there = KeyTree.find(tree, key);
        return there == null || there.value().version() != version
                ? tree
                : KeyTree.remove(tree, key);
    }
}
