package petrichor.kv.memory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import petrichor.base.KeyTree;
import petrichor.kv.StoreFailures;
import petrichor.kv.WriteBatch;

/** All rows of a store at one moment; immutable. A table without rows maps to null. */
record Tables(Map<String, @Nullable KeyTree<byte[]>> trees) {
    static final Tables NONE = new Tables(Map.of());

    @Nullable KeyTree<byte[]> tree(String table) {
        KeyTree<byte[]> tree = trees.get(table);
        if (tree == null && !trees.containsKey(table)) {
            throw StoreFailures.noSuchTable(table);
        }
        return tree;
    }

    Tables withTable(String table) {
        if (trees.containsKey(table)) {
            return this;
        }
        Map<String, @Nullable KeyTree<byte[]>> more = new HashMap<>(trees);
        more.put(table, null);
        return new Tables(more);
    }

    Tables withoutTable(String table) {
        Map<String, @Nullable KeyTree<byte[]>> fewer = new HashMap<>(trees);
        fewer.remove(table);
        return new Tables(fewer);
    }

    /** Applies all changes, or none if one of them names a table that does not exist. */
    Tables with(List<WriteBatch.Op> ops, SplittableRandom priorities) {
        Map<String, @Nullable KeyTree<byte[]>> changed = new HashMap<>(trees);
        for (WriteBatch.Op op : ops) {
            if (!changed.containsKey(op.table())) {
                throw StoreFailures.noSuchTable(op.table());
            }
            KeyTree<byte[]> tree = changed.get(op.table());
            changed.put(
                    op.table(),
                    switch (op) {
                        case WriteBatch.Put put ->
                                KeyTree.put(tree, put.key(), put.value(), priorities.nextInt());
                        case WriteBatch.Delete delete -> KeyTree.remove(tree, delete.key());
                        case WriteBatch.DeleteRange delete ->
                                KeyTree.removeRange(
                                        tree, delete.range().from(), delete.range().to());
                    });
        }
        return new Tables(changed);
    }
}
