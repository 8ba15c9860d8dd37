package petrichor.tables;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;

/** Merges the written rows of a transaction into a scan of stored ones. Confined to one thread. */
final class WrittenRows {
    private final WriteBuffer writes;
    private final KeyRange range;
    private final boolean forward;
    private final int mark;
    private WriteBuffer.@Nullable Entry next;

    WrittenRows(WriteBuffer writes, KeyRange range, boolean forward, int mark) {
        this.writes = writes;
        this.range = range;
        this.forward = forward;
        this.mark = mark;
        if (!writes.isEmpty()) {
            next = inRange(forward ? writes.ceiling(range.from()) : writes.lower(range.to()));
        }
    }

    private WriteBuffer.@Nullable Entry inRange(WriteBuffer.@Nullable Entry entry) {
        return entry != null && range.contains(entry.key) ? entry : null;
    }

    private void advance(WriteBuffer.Entry entry) {
        next =
                inRange(
                        forward
                                ? writes.ceiling(Bytes.successor(entry.key))
                                : writes.lower(entry.key));
    }

    /** Adds written rows that come before the stored key; null: all remaining ones. */
    void before(byte @Nullable [] key, List<TableTransaction.Found> found) {
        WriteBuffer.Entry entry = next;
        while (entry != null) {
            if (key != null) {
                int order = Bytes.compare(entry.key, key);
                if (order == 0 || order < 0 != forward) {
                    return;
                }
            }
            add(entry, found);
            advance(entry);
            entry = next;
        }
    }

    private boolean add(WriteBuffer.Entry entry, List<TableTransaction.Found> found) {
        WriteBuffer.Version written = entry.before(mark);
        if (written == null) {
            return false;
        }
        byte[] value = written.value();
        if (value != null) {
            found.add(new TableTransaction.Found(entry.key, value));
        }
        return true;
    }

    void stored(byte[] key, byte[] value, List<TableTransaction.Found> found) {
        WriteBuffer.Entry entry = next;
        boolean written = false;
        if (entry != null && Arrays.equals(entry.key, key)) {
            written = add(entry, found);
            advance(entry);
        }
        if (!written) {
            found.add(new TableTransaction.Found(key, value));
        }
    }
}
