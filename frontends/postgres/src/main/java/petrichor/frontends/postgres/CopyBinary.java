package petrichor.frontends.postgres;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.ResultColumn;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlException;
import petrichor.tables.ColumnType;

/**
 * COPY in the binary format: a header, rows as a number of values and each value with its length,
 * and -1 as the number of values at the end. Receives rows; the static methods write them.
 */
final class CopyBinary implements CopyCommand.Data {
    private static final byte[] SIGNATURE =
            "PGCOPY\n\u00ff\r\n\0".getBytes(StandardCharsets.ISO_8859_1);

    /** Signature, flags, and the length of an extension. */
    private static final int HEADER_BYTES = SIGNATURE.length + 2 * Integer.BYTES;

    /** Flags that a reader must understand; bit 16 announces OIDs, which are not supported. */
    private static final int CRITICAL_FLAGS = 0xFFFF_0000;

    private static final int NULL_LENGTH = -1;
    private static final int END = -1;

    private final List<ColumnType> types;
    private final CopyInserts inserts;
    private byte[] pending = {};
    private boolean started;
    private boolean ended;

    CopyBinary(List<ColumnType> types, CopyInserts inserts) {
        this.types = types;
        this.inserts = inserts;
    }

    // ---- writing

    static byte[] header() {
        return Arrays.copyOf(SIGNATURE, HEADER_BYTES);
    }

    static byte[] trailer() {
        return ByteBuffer.allocate(Short.BYTES).putShort((short) END).array();
    }

    /** The current row. */
    static byte[] row(List<ResultColumn> columns, RowIterator rows) {
        ByteArrayOutputStream row = new ByteArrayOutputStream();
        row.writeBytes(ByteBuffer.allocate(Short.BYTES).putShort((short) columns.size()).array());
        for (int i = 0; i < columns.size(); i++) {
            Object value = rows.value(i);
            if (value == null) {
                row.writeBytes(length(NULL_LENGTH));
            } else {
                byte[] encoded = BinaryFormat.encode(columns.get(i).type(), value);
                row.writeBytes(length(encoded.length));
                row.writeBytes(encoded);
            }
        }
        return row.toByteArray();
    }

    private static byte[] length(int bytes) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(bytes).array();
    }

    // ---- reading

    @Override
    public void add(byte[] piece) {
        if (ended) {
            throw invalid("it continues after its end");
        }
        byte[] bytes = piece;
        if (pending.length > 0) {
            bytes = Arrays.copyOf(pending, pending.length + piece.length);
            System.arraycopy(piece, 0, bytes, pending.length, piece.length);
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (started || header(in)) {
            started = true;
            while (!ended && complete(in.duplicate())) {
                row(in);
            }
            if (ended && in.hasRemaining()) {
                throw invalid("it continues after its end");
            }
        }
        pending = Arrays.copyOfRange(bytes, in.position(), bytes.length);
        CopyCommand.Data.requireRowBytes(pending.length);
    }

    /** The mark of the end may be missing after the last row, as in PostgreSQL. */
    @Override
    public void end() {
        if (!started || pending.length > 0) {
            throw invalid("it ends inside a row or the header");
        }
    }

    /** False, at the beginning, if the header is not complete. */
    private static boolean header(ByteBuffer in) {
        if (in.remaining() < HEADER_BYTES) {
            return false;
        }
        int extension = in.getInt(HEADER_BYTES - Integer.BYTES);
        byte[] signature = new byte[SIGNATURE.length];
        in.get(0, signature);
        if (!Arrays.equals(signature, SIGNATURE)) {
            throw invalid("it does not begin with the signature of the format");
        }
        if ((in.getInt(SIGNATURE.length) & CRITICAL_FLAGS) != 0 || extension < 0) {
            throw invalid("its header has flags that are not supported");
        }
        CopyCommand.Data.requireRowBytes(extension);
        if (in.remaining() < HEADER_BYTES + extension) {
            return false;
        }
        in.position(HEADER_BYTES + extension);
        return true;
    }

    /** Whether the next row, or the end, has been received as a whole. */
    private boolean complete(ByteBuffer in) {
        if (in.remaining() < Short.BYTES) {
            return false;
        }
        int values = in.getShort();
        if (values == END) {
            return true;
        }
        inserts.requireWidth(values);
        for (int i = 0; i < values; i++) {
            if (in.remaining() < Integer.BYTES) {
                return false;
            }
            int length = in.getInt();
            if (length < NULL_LENGTH) {
                throw invalid("a value has a negative length");
            }
            CopyCommand.Data.requireRowBytes(length);
            if (length > in.remaining()) {
                return false;
            }
            in.position(in.position() + Math.max(0, length));
        }
        return true;
    }

    private void row(ByteBuffer in) {
        int from = in.position();
        int count = in.getShort();
        if (count == END) {
            ended = true;
            return;
        }
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = in.getInt();
            if (length == NULL_LENGTH) {
                values.add(null);
            } else {
                byte[] value = new byte[length];
                in.get(value);
                values.add(BinaryFormat.decode(types.get(i), value));
            }
        }
        inserts.add(values, in.position() - from);
    }

    private static SqlException invalid(String reason) {
        return new SqlException("22P04", "invalid data of COPY in the binary format: " + reason);
    }
}
