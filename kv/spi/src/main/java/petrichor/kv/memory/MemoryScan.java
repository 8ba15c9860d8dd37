package petrichor.kv.memory;

import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.KeyTree;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;

/** Looks up the neighbour of the last row at each step: log(n) comparisons and no state. */
final class MemoryScan implements Scan {
    private final Supplier<@Nullable KeyTree<byte[]>> tree;
    private final KeyRange range;
    private final Direction direction;
    private int left;
    private @Nullable KeyTree<byte[]> row;
    private boolean started;
    private boolean closed;

    MemoryScan(
            Supplier<@Nullable KeyTree<byte[]>> tree,
            KeyRange range,
            Direction direction,
            int limit) {
        this.tree = tree;
        this.range = range;
        this.direction = direction;
        this.left = limit;
    }

    @Override
    public boolean next() {
        if (closed) {
            throw StoreFailures.closed();
        }
        KeyTree<byte[]> next = left == 0 || (started && row == null) ? null : neighbour();
        started = true;
        left = Math.max(0, left - 1);
        row = next != null && range.contains(next.key()) ? next : null;
        return row != null;
    }

    private @Nullable KeyTree<byte[]> neighbour() {
        KeyTree<byte[]> last = row;
        return switch (direction) {
            case FORWARD ->
                    KeyTree.ceiling(
                            tree.get(), last == null ? range.from() : Bytes.successor(last.key()));
            case REVERSE -> KeyTree.lower(tree.get(), last == null ? range.to() : last.key());
        };
    }

    @Override
    public byte[] key() {
        return current().key().clone();
    }

    @Override
    public byte[] value() {
        return current().value().clone();
    }

    private KeyTree<byte[]> current() {
        KeyTree<byte[]> at = row;
        if (at == null) {
            throw new NoSuchElementException("the scan is not on a row");
        }
        return at;
    }

    @Override
    public void close() {
        closed = true;
        row = null;
    }
}
