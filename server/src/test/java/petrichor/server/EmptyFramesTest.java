package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;

/** Tests that floods of HTTP/2 frames without content end their connection. */
class EmptyFramesTest {
    private static final int FRAMES_PER_WRITE = 1_000;

    /** A client can send more only if the server does not end the connection. */
    private static final int FRAMES_MAX = 1_000_000;

    private static final byte DATA = 0;
    private static final byte HEADERS = 1;
    private static final byte SETTINGS = 4;
    private static final byte GOAWAY = 7;
    private static final byte CONTINUATION = 9;
    private static final byte END_HEADERS = 4;

    private static final byte[] PREFACE =
            Bytes.concat(
                    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                    frame(SETTINGS, 0, 0, new byte[0]));

    @Test
    void headersThatNeverEndEndTheConnection() throws Exception {
        assertConnectionEnds(
                frame(HEADERS, 0, 1, new byte[] {(byte) 0x83}),
                frame(CONTINUATION, 0, 1, new byte[0]));
    }

    @Test
    void aBodyThatNeverEndsEndsTheConnection() throws Exception {
        assertConnectionEnds(
                frame(HEADERS, END_HEADERS, 1, grpcHeaders()), frame(DATA, 0, 1, new byte[0]));
    }

    private static void assertConnectionEnds(byte[] begin, byte[] empty) throws Exception {
        try (TestServer server = TestServer.start();
                Socket socket = server.connect()) {
            CompletableFuture<Boolean> ended =
                    CompletableFuture.supplyAsync(() -> readsToTheEnd(socket));
            OutputStream out = socket.getOutputStream();
            out.write(Bytes.concat(PREFACE, begin));
            ByteBuffer many = ByteBuffer.allocate(empty.length * FRAMES_PER_WRITE);
            while (many.hasRemaining()) {
                many.put(empty);
            }
            try {
                for (int sent = 0; sent < FRAMES_MAX && !ended.isDone(); sent += FRAMES_PER_WRITE) {
                    out.write(many.array());
                }
            } catch (IOException closed) {
                // as it should be
            }
            assertThat(ended.get(1, TimeUnit.MINUTES)).isTrue();
            assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
        }
    }

    /** True at a GOAWAY frame or the end of the connection; false if the server remains silent. */
    private static boolean readsToTheEnd(Socket socket) {
        try {
            InputStream in = socket.getInputStream();
            while (true) {
                byte[] head = in.readNBytes(9);
                if (head.length < 9 || head[3] == GOAWAY) {
                    return true;
                }
                in.skipNBytes(ByteBuffer.wrap(head).getInt() >>> 8);
            }
        } catch (java.net.SocketTimeoutException silent) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    /** A call of Lookup. */
    private static byte[] grpcHeaders() {
        return Bytes.concat(
                // POST and http, from the static table
                new byte[] {(byte) 0x83, (byte) 0x86},
                literal(4, "/google.datastore.v1.Datastore/Lookup"),
                literal(1, "localhost"),
                literal(31, "application/grpc"),
                named("te", "trailers"));
    }

    /** A field with a name of the static table, not indexed. */
    private static byte[] literal(int name, String value) {
        byte[] index = name < 15 ? new byte[] {(byte) name} : new byte[] {15, (byte) (name - 15)};
        return Bytes.concat(index, text(value));
    }

    private static byte[] named(String name, String value) {
        return Bytes.concat(new byte[] {0}, text(name), text(value));
    }

    private static byte[] text(String value) {
        return Bytes.concat(
                new byte[] {(byte) value.length()}, value.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] frame(byte type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) 0)
                .putShort((short) payload.length)
                .put(type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }
}
