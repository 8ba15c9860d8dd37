package petrichor.testing.process;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A DNS server over TCP, on a free port, that gives every name the address 127.0.0.1. Thread-safe.
 */
final class NameServer implements AutoCloseable {
    private static final int HEADER_BYTES = 12;
    private static final int MESSAGE_BYTES_MAX = 512;
    private static final short ANSWER = (short) 0x8580;
    private static final short NO_SUCH_NAME = (short) 0x8583;
    private static final short TYPE_A = 1;

    private final ServerSocket socket;
    private final Set<String> unknown = ConcurrentHashMap.newKeySet();

    NameServer() {
        try {
            socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Thread.ofVirtual().name("name-server").start(this::run);
    }

    int port() {
        return socket.getLocalPort();
    }

    void forget(String name) {
        unknown.add(name);
    }

    void remember(String name) {
        unknown.remove(name);
    }

    private void run() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                Thread.ofVirtual().name("name-server").start(() -> serve(client));
            } catch (IOException closed) {
                // the loop ends
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            while (true) {
                byte[] answer = answer(in.readNBytes(in.readUnsignedShort()));
                out.writeShort(answer.length);
                out.write(answer);
                out.flush();
            }
        } catch (IOException ended) {
            // the client has closed the connection
        }
    }

    private byte[] answer(byte[] message) {
        ByteBuffer query = ByteBuffer.wrap(message);
        query.position(HEADER_BYTES);
        StringBuilder name = new StringBuilder();
        for (int length = query.get(); length > 0; length = query.get()) {
            byte[] label = new byte[length];
            query.get(label);
            name.append(name.isEmpty() ? "" : ".")
                    .append(new String(label, StandardCharsets.US_ASCII));
        }
        short type = query.getShort();
        query.getShort(); // class
        boolean known = !unknown.contains(name.toString().toLowerCase(Locale.ROOT));
        boolean address = known && type == TYPE_A;
        int question = query.position();
        ByteBuffer answer = ByteBuffer.allocate(MESSAGE_BYTES_MAX);
        answer.put(message, 0, question);
        answer.putShort(2, known ? ANSWER : NO_SUCH_NAME);
        answer.putShort(6, (short) (address ? 1 : 0)).putInt(8, 0); // no other records
        if (address) {
            answer.putShort((short) (0xC000 | HEADER_BYTES)).putShort(TYPE_A).putShort((short) 1);
            answer.putInt(1).putShort((short) 4).put(new byte[] {127, 0, 0, 1});
        }
        byte[] bytes = new byte[answer.position()];
        answer.flip().get(bytes);
        return bytes;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
