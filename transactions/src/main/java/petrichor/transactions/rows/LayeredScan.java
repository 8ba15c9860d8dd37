package petrichor.transactions.rows;

import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.KeyTree;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;

/** Merges a scan of rows in memory with a scan of the store; see {@link LayeredReads}. */
final class LayeredScan implements Scan {
    private final @Nullable KeyTree<RecentRow> tree;
    private final @Nullable Reads store;
    private final String table;
    private final KeyRange range;
    private final Direction direction;

    private int left;
    private @Nullable KeyTree<RecentRow> above;

    /** Where the scan of the store continues after its current piece has ended. */
    private KeyRange rest;

    private @Nullable Scan below;
    private int belowLeft;
    private byte @Nullable [] belowKey;

    private byte @Nullable [] key;
    private byte[] value = {};

    LayeredScan(
            @Nullable KeyTree<RecentRow> tree,
            @Nullable Reads store,
            String table,
            KeyRange range,
            Direction direction,
            int limit) {
        this.tree = tree;
        this.store = store;
        this.table = table;
        this.range = range;
        this.direction = direction;
        this.left = limit;
        this.rest = range;
        this.above = step(tree, range, direction);
        stepBelow();
    }

    /** The first row in memory within the rest of a range. */
    static @Nullable KeyTree<RecentRow> step(
            @Nullable KeyTree<RecentRow> tree, KeyRange range, Direction direction) {
        KeyTree<RecentRow> row =
                switch (direction) {
                    case FORWARD -> KeyTree.ceiling(tree, range.from());
                    case REVERSE -> KeyTree.lower(tree, range.to());
                };
        return row != null && range.contains(row.key()) ? row : null;
    }

    private KeyRange behind(KeyRange whole, byte[] last) {
        return switch (direction) {
            case FORWARD -> new KeyRange(Bytes.successor(last), whole.to());
            case REVERSE -> new KeyRange(whole.from(), last);
        };
    }

    /** Memory may hide rows of the store: then it requests more rows than the limit says. */
    private void stepBelow() {
        Reads source = store;
        while (source != null && left > 0 && !rest.isEmpty()) {
            if (below == null) {
                below = source.scan(table, rest, direction, left);
                belowLeft = left;
            }
            if (below.next()) {
                belowKey = below.key();
                belowLeft--;
                rest = behind(rest, belowKey);
                return;
            }
            below.close();
            below = null;
            if (belowLeft > 0) {
                break;
            }
        }
        belowKey = null;
    }

    @Override
    public boolean next() {
        while (left > 0 && (above != null || belowKey != null)) {
            int order = order();
            byte[] found = order <= 0 ? takeAbove() : takeBelow();
            if (found != null) {
                left--;
                value = found;
            }
            if (order >= 0) {
                stepBelow();
            }
            if (found != null) {
                return true;
            }
        }
        key = null;
        close();
        return false;
    }

    private byte @Nullable [] takeAbove() {
        KeyTree<RecentRow> row = Objects.requireNonNull(above);
        key = row.key();
        above = step(tree, behind(range, row.key()), direction);
        return row.value().value();
    }

    private byte[] takeBelow() {
        key = belowKey;
        return Objects.requireNonNull(below).value();
    }

    /** Which row comes first: negative for memory, positive for the store, 0 for the same row. */
    private int order() {
        if (above == null) {
            return 1;
        }
        if (belowKey == null) {
            return -1;
        }
        int order = Bytes.compare(above.key(), belowKey);
        return direction == Direction.FORWARD ? order : -order;
    }

    @Override
    public byte[] key() {
        if (key == null) {
            throw new NoSuchElementException("the scan is not on a row");
        }
        return key;
    }

    @Override
    public byte[] value() {
        return value;
    }

    @Override
    public void close() {
        if (below != null) {
            below.close();
            below = null;
        }
        left = 0;
    }
}
