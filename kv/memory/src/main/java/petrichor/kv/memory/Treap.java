package petrichor.kv.memory;

import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * An immutable ordered map from keys to values: a search tree by key that is also a heap by random
 * priority (Seidel and Aragon 1996), which keeps it balanced without any rotation. Every change
 * copies the path to what it changes, about log(n) nodes; a range is removed in the same time. The
 * empty tree is null, hence the static methods.
 */
record Treap(byte[] key, byte[] value, int priority, @Nullable Treap left, @Nullable Treap right) {

    private record Halves(@Nullable Treap below, @Nullable Treap above) {}

    static @Nullable Treap find(@Nullable Treap tree, byte[] key) {
        Treap at = tree;
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
    static @Nullable Treap ceiling(@Nullable Treap tree, byte[] key) {
        Treap best = null;
        Treap at = tree;
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
    static @Nullable Treap lower(@Nullable Treap tree, byte @Nullable [] key) {
        Treap best = null;
        Treap at = tree;
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
     * @param priority a random number; used only if the key is new
     */
    static Treap put(@Nullable Treap tree, byte[] key, byte[] value, int priority) {
        return find(tree, key) == null
                ? insert(tree, key, value, priority)
                : replace(tree, key, value);
    }

    private static Treap insert(@Nullable Treap tree, byte[] key, byte[] value, int priority) {
        if (tree == null || priority > tree.priority) {
            Halves halves = split(tree, key);
            return new Treap(key, value, priority, halves.below, halves.above);
        }
        return Bytes.compare(key, tree.key) < 0
                ? tree.with(insert(tree.left, key, value, priority), tree.right)
                : tree.with(tree.left, insert(tree.right, key, value, priority));
    }

    private static Treap replace(@Nullable Treap tree, byte[] key, byte[] value) {
        if (tree == null) {
            throw new AssertionError("the key was found a moment ago");
        }
        int order = Bytes.compare(key, tree.key);
        if (order == 0) {
            return new Treap(key, value, tree.priority, tree.left, tree.right);
        }
        return order < 0
                ? tree.with(replace(tree.left, key, value), tree.right)
                : tree.with(tree.left, replace(tree.right, key, value));
    }

    static @Nullable Treap remove(@Nullable Treap tree, byte[] key) {
        return find(tree, key) == null ? tree : removeRange(tree, key, Bytes.successor(key));
    }

    /** Without the keys {@code from <= key < to}. */
    static @Nullable Treap removeRange(@Nullable Treap tree, byte[] from, byte @Nullable [] to) {
        Halves atFrom = split(tree, from);
        return to == null ? atFrom.below : join(atFrom.below, split(atFrom.above, to).above);
    }

    /** Below holds the keys smaller than {@code key}. */
    private static Halves split(@Nullable Treap tree, byte[] key) {
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
    private static @Nullable Treap join(@Nullable Treap below, @Nullable Treap above) {
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

    private Treap with(@Nullable Treap newLeft, @Nullable Treap newRight) {
        return new Treap(key, value, priority, newLeft, newRight);
    }
}
