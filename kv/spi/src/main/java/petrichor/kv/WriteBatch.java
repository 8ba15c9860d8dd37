package petrichor.kv;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch of puts, deletes and range deletions, applied in order. Confined to one thread while it
 * is filled; takes ownership of the arrays.
 */
public final class WriteBatch {
    /** One change of a batch. */
    public sealed interface Op permits Put, Delete, DeleteRange {
        String table();
    }

    public record Put(String table, byte[] key, byte[] value) implements Op {}

    public record Delete(String table, byte[] key) implements Op {}

    public record DeleteRange(String table, KeyRange range) implements Op {}

    private final List<Op> ops = new ArrayList<>();
    private long bytes;

    public WriteBatch put(String table, byte[] key, byte[] value) {
        ops.add(new Put(table, key, value));
        bytes += key.length + value.length;
        return this;
    }

    public WriteBatch delete(String table, byte[] key) {
        ops.add(new Delete(table, key));
        bytes += key.length;
        return this;
    }

    public WriteBatch deleteRange(String table, KeyRange range) {
        ops.add(new DeleteRange(table, range));
        bytes += range.from().length + length(range.to());
        return this;
    }

    private static int length(byte @Nullable [] key) {
        return key == null ? 0 : key.length;
    }

    /** Adds a change of another batch. */
    public WriteBatch add(Op op) {
        return switch (op) {
            case Put(String table, byte[] key, byte[] value) -> put(table, key, value);
            case Delete(String table, byte[] key) -> delete(table, key);
            case DeleteRange(String table, KeyRange range) -> deleteRange(table, range);
        };
    }

    public List<Op> ops() {
        return ops;
    }

    public boolean isEmpty() {
        return ops.isEmpty();
    }

    /** Size of all keys and values, in bytes. */
    public long bytes() {
        return bytes;
    }
}
