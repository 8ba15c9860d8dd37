package petrichor.transactions.rows;

import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.transactions.RowCursor;

/**
 * Iterates over the rows of a branch: merges its own stored rows with those of its parent. An own
 * row hides the parent's, and a shadow hides both. Closes both cursors.
 */
final class BranchCursor implements RowCursor {
    private final RowCursor own;
    private final RowCursor parent;
    private final Direction direction;

    private boolean started;
    private byte @Nullable [] ownKey;
    private byte @Nullable [] parentKey;

    /** Where the current row is. */
    private enum Place {
        NOWHERE,
        OWN,
        PARENT
    }

    private Place current = Place.NOWHERE;

    private byte[] value = {};

    BranchCursor(RowCursor own, RowCursor parent, Direction direction) {
        this.own = own;
        this.parent = parent;
        this.direction = direction;
    }

    @Override
    public boolean next() {
        if (!started) {
            started = true;
            stepOwn();
            stepParent();
        } else {
            switch (current) {
                case OWN -> stepOwn();
                case PARENT -> stepParent();
                case NOWHERE -> {}
            }
        }
        current = Place.NOWHERE;
        while (current == Place.NOWHERE && (ownKey != null || parentKey != null)) {
            int order = order();
            if (order > 0) {
                value = parent.value();
                current = Place.PARENT;
                return true;
            }
            if (order == 0) {
                stepParent();
            }
            byte[] stored = own.value();
            if (Shadows.isShadow(stored)) {
                stepOwn();
            } else {
                value = Shadows.payload(stored);
                current = Place.OWN;
            }
        }
        return current != Place.NOWHERE;
    }

    private void stepOwn() {
        ownKey = own.next() ? own.key() : null;
    }

    private void stepParent() {
        parentKey = parent.next() ? parent.key() : null;
    }

    /** Which row comes first: negative for the branch, positive for the parent, 0 for the same. */
    private int order() {
        if (ownKey == null) {
            return 1;
        }
        if (parentKey == null) {
            return -1;
        }
        int order = Bytes.compare(ownKey, parentKey);
        return direction == Direction.FORWARD ? order : -order;
    }

    private RowCursor row() {
        return switch (current) {
            case OWN -> own;
            case PARENT -> parent;
            case NOWHERE ->
                    throw new IllegalStateException(
                            "no row: next() was not called or returned false");
        };
    }

    @Override
    public byte[] key() {
        return row().key();
    }

    @Override
    public long version() {
        return row().version();
    }

    @Override
    public byte[] value() {
        var _ = row();
        return value;
    }

    @Override
    public void close() {
        own.close();
        parent.close();
    }
}
