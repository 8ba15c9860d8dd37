package petrichor.frontends.postgres;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlException;

/** Reads a client's messages. A message is in memory as a whole. Confined to one thread. */
final class ClientMessages {
    private final DataInputStream in;
    private final int bytesMax;

    /**
     * A message: its type and content. Reads its fields one after the other; a field beyond its end
     * is a violation of the protocol (08P01).
     */
    record Message(char type, ByteBuffer body) {
        int int32() {
            require(Integer.BYTES);
            return body.getInt();
        }

        int int16() {
            require(Short.BYTES);
            return body.getShort();
        }

        byte int8() {
            require(1);
            return body.get();
        }

        /** A text that ends with a zero. */
        String text() {
            int start = body.position();
            int end = start;
            while (end < body.limit() && body.get(end) != 0) {
                end++;
            }
            if (end == body.limit()) {
                throw malformed("a text has no end");
            }
            ByteBuffer bytes = body.slice(start, end - start);
            body.position(end + 1);
            return utf8(bytes);
        }

        /** Length and bytes; null if the length is -1. */
        byte @Nullable [] bytes() {
            int length = int32();
            return length < 0 ? null : bytes(length);
        }

        byte[] bytes(int length) {
            require(length);
            byte[] bytes = new byte[length];
            body.get(bytes);
            return bytes;
        }

        byte[] rest() {
            return bytes(body.remaining());
        }

        void end() {
            if (body.hasRemaining()) {
                throw malformed("the message is longer than its content");
            }
        }

        private void require(int bytes) {
            if (bytes < 0 || body.remaining() < bytes) {
                throw malformed("the message ends too early");
            }
        }
    }

    ClientMessages(InputStream in, int bytesMax) {
        this.in = new DataInputStream(in);
        this.bytesMax = bytesMax;
    }

    static SqlException malformed(String reason) {
        return new SqlException("08P01", "invalid message of the client: " + reason);
    }

    static String utf8(ByteBuffer bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException invalid) {
            throw new SqlException("22021", "invalid byte sequence for encoding \"UTF8\"", invalid);
        }
    }

    /** The first message of a connection, which has no type; null at the end of the stream. */
    @Nullable Message startup(int startupBytesMax) throws IOException {
        int length;
        try {
            length = in.readInt();
        } catch (EOFException gone) {
            return null;
        }
        return new Message('\0', body(length, startupBytesMax));
    }

    /** Null if the client has disconnected. */
    @Nullable Message next() throws IOException {
        int type = in.read();
        return type < 0 ? null : new Message((char) type, body(in.readInt(), bytesMax));
    }

    private ByteBuffer body(int length, int most) throws IOException {
        if (length < Integer.BYTES || length - Integer.BYTES > most) {
            throw new SqlException(
                    length < Integer.BYTES ? "08P01" : "54000",
                    "a message of "
                            + length
                            + " bytes is not valid or longer than "
                            + most
                            + " bytes; send large data in several statements");
        }
        byte[] bytes = in.readNBytes(length - Integer.BYTES);
        if (bytes.length < length - Integer.BYTES) {
            throw new EOFException("the client disconnected inside a message");
        }
        return ByteBuffer.wrap(bytes);
    }
}
