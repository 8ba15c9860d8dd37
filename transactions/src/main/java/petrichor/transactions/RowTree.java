package petrichor.transactions;

import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * An immutable ordered map from keys to rows that were written or deleted lately: a search tree by
 * key that is also a heap by random priority (Seidel and Aragon 1996). A change copies the path to
 * what it changes, about log(n) nodes; whoever holds a tree sees it unchanged for ever, which is
 * what lets a scan begin with it. The empty tree is null, hence the static methods.
 *
 * @param value null if the row is deleted
 * @param version the durable step that did it
 */
record RowTree(
        byte[] key,
        byte @Nullable [] value,
        long version,
        int priority,
        @Nullable RowTree left,
        @Nullable RowTree right) {

    private record Halves(@Nullable RowTree below, @Nullable RowTree above) {}

    static @Nullable RowTree find(@Nullable RowTree tree, byte[] key) {
        RowTree at = tree;
        while (at != null) {
            int order = Bytes.compare(key, at.key);
            if (order == 0) {
                return at;
            }
            at = order < 0 ? at.left : at.right;
        }
        return null;
    }

    /** The row with the smallest key that is at least {@code key}. */
    static @Nullable RowTree ceiling(@Nullable RowTree tree, byte[] key) {
        RowTree best = null;
        RowTree at = tree;
        while (at != null) {
            if (Bytes.compare(at.key, key) >= 0) {
                best = at;
                at = at.left;
            } else {
                at = at.right;
            }
        }
        return best;
    }

    /** The row with the greatest key below {@code key}; the last row if that is null. */
    static @Nullable RowTree lower(@Nullable RowTree tree, byte @Nullable [] key) {
        RowTree best = null;
        RowTree at = tree;
        while (at != null) {
            if (key == null || Bytes.compare(at.key, key) < 0) {
                best = at;
                at = at.right;
            } else {
                at = at.left;
            }
        }
        return best;
    }

    /**
     * @param priority a random number
     */
    static RowTree put(
            @Nullable RowTree tree,
            byte[] key,
            byte @Nullable [] value,
            long version,
            int priority) {
        if (tree == null || priority > tree.priority) {
            // May have been there below us: then it goes, or there would be two.
            Halves halves = split(tree, key);
            return new RowTree(
                    key, value, version, priority, halves.below, without(halves.above, key));
        }
        int order = Bytes.compare(key, tree.key);
        if (order == 0) {
            return new RowTree(key, value, version, tree.priority, tree.left, tree.right);
        }
        return order < 0
                ? tree.with(put(tree.left, key, value, version, priority), tree.right)
                : tree.with(tree.left, put(tree.right, key, value, version, priority));
    }

    private static @Nullable RowTree without(@Nullable RowTree above, byte[] key) {
        RowTree first = ceiling(above, key);
        return first != null && Bytes.compare(first.key, key) == 0
                ? split(above, Bytes.successor(key)).above
                : above;
    }

    /** Without the key, if it still has this version. */
    static @Nullable RowTree remove(@Nullable RowTree tree, byte[] key, long version) {
        RowTree there = find(tree, key);
        return there == null || there.version != version ? tree : removePresent(tree, key);
    }

    private static @Nullable RowTree removePresent(@Nullable RowTree tree, byte[] key) {
        if (tree == null) {
            return null;
        }
        int order = Bytes.compare(key, tree.key);
        if (order == 0) {
            return join(tree.left, tree.right);
        }
        return order < 0
                ? tree.with(removePresent(tree.left, key), tree.right)
                : tree.with(tree.left, removePresent(tree.right, key));
    }

    /** Below holds the keys smaller than {@code key}. */
    private static Halves split(@Nullable RowTree tree, byte[] key) {
        if (tree == null) {
            return new Halves(null, null);
        }
        if (Bytes.compare(tree.key, key) < 0) {
            Halves halves = split(tree.right, key);
            return new Halves(tree.with(tree.left, halves.below), halves.above);
        }
        Halves halves = split(tree.left, key);
        return new Halves(halves.below, tree.with(halves.above, tree.right));
    }

    /** Every key of {@code below} is smaller than every key of {@code above}. */
    private static @Nullable RowTree join(@Nullable RowTree below, @Nullable RowTree above) {
        if (below == null) {
            return above;
        }
        if (above == null) {
            return below;
        }
        return below.priority > above.priority
                ? below.with(below.left, join(below.right, above))
                : above.with(join(below, above.left), above.right);
    }

    private RowTree with(@Nullable RowTree newLeft, @Nullable RowTree newRight) {
        return new RowTree(key, value, version, priority, newLeft, newRight);
    }
}
