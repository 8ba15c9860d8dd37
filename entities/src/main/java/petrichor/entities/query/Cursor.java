package petrichor.entities.query;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.entities.IndexDefinition.Column;

/**
 * Encodes cursors: a format version, a fingerprint of the query's order, and the position of the
 * result beside the cursor (nothing for the start). They refer to no server state, so they survive
 * restarts. A cursor also fits the same query in the opposite order: what was before the cursor
 * comes after it. Stateless.
 */
final class Cursor {
    private static final byte AFTER = 1;
    private static final byte BEFORE = 2;
    private static final int HEADER_BYTES = 5;

    private Cursor() {}

    /**
     * @param position of the result before the cursor; null for the start
     */
    static byte[] after(int fingerprint, byte @Nullable [] position) {
        return of(fingerprint, position == null ? null : Point.after(position));
    }

    /**
     * @param point null for the start
     */
    static byte[] of(int fingerprint, @Nullable Point point) {
        int length = point == null ? 0 : point.position().length;
        ByteBuffer cursor = ByteBuffer.allocate(HEADER_BYTES + length);
        cursor.put(point != null && point.before() ? BEFORE : AFTER).putInt(fingerprint);
        if (point != null) {
            cursor.put(point.position());
        }
        return cursor.array();
    }

    /** Whether it may come from a query with results of this shape, or in the opposite order. */
    static boolean fits(ByteString cursor, Shape shape) {
        return cursor.size() < HEADER_BYTES
                || origin(cursor.asReadOnlyByteBuffer().getInt(1), shape) != null;
    }

    /** The shape of the results that a fingerprint denotes; null if it does not fit this shape. */
    private static @Nullable Shape origin(int fingerprint, Shape shape) {
        return fingerprint == shape.fingerprint()
                ? shape
                : opposites(shape).stream()
                        .filter(opposite -> opposite.fingerprint() == fingerprint)
                        .findFirst()
                        .orElse(null);
    }

    /** A query that leaves the order of keys open has ascending keys in both directions. */
    private static List<Shape> opposites(Shape shape) {
        List<Column> columns = shape.columns().stream().map(Column::reversed).toList();
        return List.of(
                shape.with(columns, shape.keyOrder().reversed()),
                shape.with(columns, shape.keyOrder()));
    }

    /**
     * {@link Point#START} for the start of the query; null for the start of the query in the
     * opposite order, which is the end of this one.
     */
    static @Nullable Point point(ByteString cursor, Shape shape, String field) {
        ByteBuffer bytes = cursor.asReadOnlyByteBuffer();
        byte format = bytes.remaining() < HEADER_BYTES ? 0 : bytes.get();
        if (format != AFTER && format != BEFORE) {
            throw PetrichorException.invalid(
                    "{field} is not a cursor of this server; take it from a query's results",
                    "field",
                    field);
        }
        Shape origin = origin(bytes.getInt(), shape);
        if (origin == null) {
            throw PetrichorException.invalid(
                    "{field} belongs to another query: kind, namespace, order and inequality"
                            + " properties must be those of the query that it came from",
                    "field",
                    field);
        }
        if (!bytes.hasRemaining()) {
            return origin.equals(shape) ? Point.START : null;
        }
        byte[] position = new byte[bytes.remaining()];
        bytes.get(position);
        new Position(origin).check(position);
        boolean before = format == BEFORE;
        return origin.equals(shape)
                ? new Point(position, before)
                : new Point(reversed(position, origin, shape), !before);
    }

    private static byte[] reversed(byte[] position, Shape origin, Shape shape) {
        Position from = new Position(origin);
        List<byte[]> columns =
                from.columns(position).stream().map(column -> Interval.invert(column)).toList();
        return new Position(shape).of(columns, from.path(position));
    }
}
