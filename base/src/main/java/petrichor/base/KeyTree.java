package petrichor.base;

import org.jspecify.annotations.Nullable;

/**
 * An immutable (persistent) ordered map from keys to values: a <em>treap</em>, a search tree by key
 * that is also a heap by random priority (Seidel and Aragon 1996), which keeps it balanced without
 * any rotation. A change copies the path to the changed node, about log(n) nodes; a range is
 * removed in the same time. A tree never changes, so a scan can use a reference to it as a
 * snapshot. The empty tree is null, hence the static methods. Keys and values belong to the tree
 * and must not be changed.
 */
public record KeyTree<V>(
        byte[] key, V value, int priority, @Nullable KeyTree<V> left, @Nullable KeyTree<V> right) {

    private record Halves<V>(@Nullable KeyTree<V> below, @Nullable KeyTree<V> above) {}

    public static <V> @Nullable KeyTree<V> find(@Nullable KeyTree<V> tree, byte[] key) {
        KeyTree<V> at = tree;
        while (at != null) {
            int order = Bytes.compare(key, at.key);
            if (order == 0) {
                return at;
            }
            at = order < 0 ? at.left : at.right;
        }
        return null;
    }

    /** The node with the smallest key that is at least {@code key}. */
    public static <V> @Nullable KeyTree<V> ceiling(@Nullable KeyTree<V> tree, byte[] key) {
        KeyTree<V> best = null;
        KeyTree<V> at = tree;
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

    /** The node with the greatest key below {@code key}; the last node if that is null. */
    public static <V> @Nullable KeyTree<V> lower(@Nullable KeyTree<V> tree, byte @Nullable [] key) {
        KeyTree<V> best = null;
        KeyTree<V> at = tree;
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
     * @param priority a random number; an existing key found on the way keeps its own
     */
    public static <V> KeyTree<V> put(@Nullable KeyTree<V> tree, byte[] key, V value, int priority) {
        if (tree == null || priority > tree.priority) {
            // The key may exist in a subtree: it is removed there, to avoid a duplicate.
            Halves<V> halves = split(tree, key);
            return new KeyTree<>(key, value, priority, halves.below, without(halves.above, key));
        }
        int order = Bytes.compare(key, tree.key);
        if (order == 0) {
            return new KeyTree<>(key, value, tree.priority, tree.left, tree.right);
        }
        return order < 0
                ? tree.with(put(tree.left, key, value, priority), tree.right)
                : tree.with(tree.left, put(tree.right, key, value, priority));
    }

    /** Requires a tree without smaller keys. */
    private static <V> @Nullable KeyTree<V> without(@Nullable KeyTree<V> above, byte[] key) {
        KeyTree<V> first = ceiling(above, key);
        return first != null && Bytes.compare(first.key, key) == 0
                ? split(above, Bytes.successor(key)).above
                : above;
    }

    public static <V> @Nullable KeyTree<V> remove(@Nullable KeyTree<V> tree, byte[] key) {
        return find(tree, key) == null ? tree : removePresent(tree, key);
    }

    private static <V> @Nullable KeyTree<V> removePresent(@Nullable KeyTree<V> tree, byte[] key) {
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

    /** Removes the keys {@code from <= key < to}. */
    public static <V> @Nullable KeyTree<V> removeRange(
            @Nullable KeyTree<V> tree, byte[] from, byte @Nullable [] to) {
        Halves<V> atFrom = split(tree, from);
        return to == null ? atFrom.below : join(atFrom.below, split(atFrom.above, to).above);
    }

    /** The lower half holds the keys smaller than {@code key}. */
    private static <V> Halves<V> split(@Nullable KeyTree<V> tree, byte[] key) {
        if (tree == null) {
            return new Halves<>(null, null);
        }
        if (Bytes.compare(tree.key, key) < 0) {
            Halves<V> halves = split(tree.right, key);
            return new Halves<>(tree.with(tree.left, halves.below), halves.above);
        }
        Halves<V> halves = split(tree.left, key);
        return new Halves<>(halves.below, tree.with(halves.above, tree.right));
    }

    /** Every key of {@code below} must be smaller than every key of {@code above}. */
    private static <V> @Nullable KeyTree<V> join(
            @Nullable KeyTree<V> below, @Nullable KeyTree<V> above) {
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

    private KeyTree<V> with(@Nullable KeyTree<V> newLeft, @Nullable KeyTree<V> newRight) {
        return new KeyTree<>(key, value, priority, newLeft, newRight);
    }
}
