package petrichor.entities.query;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.IndexDefinition.Column;
import petrichor.entities.SortOrder;
import petrichor.entities.ValueCodec;

/**
 * Encodes and decodes positions for one {@link Shape}: the columns' values, each encoded in its
 * direction, then the path; for a descending key the path with an end mark, all inverted. Positions
 * compare as bytes. Stateless.
 */
final class Position {
    /** An empty kind: sorts before every further element of a path. */
    private static final byte[] PATH_END = {0, 1};

    private final Shape shape;

    Position(Shape shape) {
        this.shape = shape;
    }

    byte[] of(List<byte[]> columns, byte[] path) {
        byte[][] parts = columns.toArray(new byte[columns.size() + 1][]);
        parts[columns.size()] =
                descendingKey() ? Interval.invert(Bytes.concat(path, PATH_END)) : path;
        return Bytes.concat(parts);
    }

    /** The columns of a position, each encoded in its direction. */
    List<byte[]> columns(byte[] position) {
        List<byte[]> columns = new ArrayList<>(shape.columns().size());
        int at = 0;
        for (Column column : shape.columns()) {
            int end = ValueCodec.skip(position, at, column.order());
            columns.add(Arrays.copyOfRange(position, at, end));
            at = end;
        }
        return columns;
    }

    byte[] path(byte[] position) {
        int at = end(position, shape.columns().size());
        if (!descendingKey()) {
            return Arrays.copyOfRange(position, at, position.length);
        }
        return Interval.invert(position, at, position.length - PATH_END.length);
    }

    /** The end of the first {@code count} columns. */
    int end(byte[] position, int count) {
        int at = 0;
        for (Column column : shape.columns().subList(0, count)) {
            at = ValueCodec.skip(position, at, column.order());
        }
        return at;
    }

    /** Refuses bytes that cannot be a position of this shape. */
    void check(byte[] position) {
        try {
            byte[] path = path(position);
            if (path.length == 0) {
                throw new IllegalArgumentException("no key");
            }
            petrichor.entities.KeyCodec.ancestorLengths(path);
        } catch (RuntimeException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT, damaged, "The cursor is damaged.");
        }
    }

    private boolean descendingKey() {
        return shape.keyOrder() == SortOrder.DESCENDING;
    }
}
