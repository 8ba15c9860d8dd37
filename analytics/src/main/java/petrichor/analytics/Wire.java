package petrichor.analytics;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;

/**
 * A connection between the server and its worker. A connection starts with {@link #SESSION} and the
 * name of a database, or with {@link #STREAM} and the id of a load. Both ends run the same version
 * of this software. Confined to one thread for each direction.
 */
public final class Wire implements AutoCloseable {
    /** Commands of the server follow, one at a time. */
    public static final int SESSION = 1;

    /** Rows follow: keys and values in blocks. */
    public static final int STREAM = 2;

    public static final int LOAD = 10;
    public static final int APPLY = 11;
    public static final int DROP = 12;
    public static final int QUERY = 13;
    public static final int CANCEL = 14;

    /** The worker waits for the rows of a load. */
    public static final int READY = 19;

    public static final int DONE = 20;
    public static final int FAILED = 21;

    /** Values of a kind do not fit the types of their columns. */
    public static final int MISFITS = 18;

    /** The query reads what its segments contain now. */
    public static final int PINNED = 22;

    public static final int COLUMNS = 23;
    public static final int ROWS = 24;
    public static final int END = 25;

    /** What a query is sent for. */
    public enum Purpose {
        COLUMNS(1),
        ROWS(2),

        /** All rows as a Parquet file: {@link #DONE}, then its parts as {@link #ROWS}. */
        FILE(3);

        private final int code;

        Purpose(int code) {
            this.code = code;
        }

        /** One byte. */
        public int code() {
            return code;
        }

        public static Purpose of(int code) {
            for (Purpose purpose : values()) {
                if (purpose.code == code) {
                    return purpose;
                }
            }
            throw new IllegalArgumentException("no purpose " + code);
        }
    }

    /** Rows of one block, which is fewer if they are large. */
    public static final int BLOCK_ROWS = 1_024;

    /** Of a value or text, in bytes. */
    private static final int BYTES_MAX = 128 << 20;

    private static final int BUFFER_BYTES = 256 << 10;

    private final SocketChannel channel;
    private final DataInputStream in;
    private final DataOutputStream out;

    public Wire(SocketChannel channel) {
        this.channel = channel;
        this.in =
                new DataInputStream(
                        new BufferedInputStream(Channels.newInputStream(channel), BUFFER_BYTES));
        this.out =
                new DataOutputStream(
                        new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES));
    }

    public static Wire connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            return new Wire(channel);
        } catch (IOException failed) {
            channel.close();
            throw failed;
        }
    }

    public DataInputStream in() {
        return in;
    }

    public DataOutputStream out() {
        return out;
    }

    public byte[] takeBytes() throws IOException {
        byte[] bytes = new byte[takeLength()];
        in.readFully(bytes);
        return bytes;
    }

    /**
     * The same into an array that is large enough: the given one, or a new one.
     *
     * @param reused its content is overwritten
     */
    public byte[] takeBytes(byte[] reused) throws IOException {
        int length = takeLength();
        byte[] bytes = reused.length >= length ? reused : new byte[length];
        in.readFully(bytes, 0, length);
        return bytes;
    }

    private int takeLength() throws IOException {
        int length = in.readInt();
        if (length < 0 || length > BYTES_MAX) {
            throw new IOException("a message has an invalid length");
        }
        return length;
    }

    public Wire putBytes(byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
        return this;
    }

    public String takeText() throws IOException {
        return new String(takeBytes(), StandardCharsets.UTF_8);
    }

    public Wire putText(String text) throws IOException {
        return putBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    public ColumnType takeType() throws IOException {
        DataType type = DataType.valueOf(in.readUTF());
        int length = in.readInt();
        int scale = in.readInt();
        ColumnType element = in.readBoolean() ? takeType() : null;
        return new ColumnType(type, length, scale, element);
    }

    public Wire putType(ColumnType type) throws IOException {
        out.writeUTF(type.type().name());
        out.writeInt(type.length());
        out.writeInt(type.scale());
        @Nullable ColumnType element = type.element();
        out.writeBoolean(element != null);
        if (element != null) {
            putType(element);
        }
        return this;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // It is closed.
        }
    }
}
