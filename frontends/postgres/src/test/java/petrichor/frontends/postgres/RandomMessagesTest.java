package petrichor.frontends.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Messages with changed bytes, wrong lengths and wrong orders: the server reports them or
 * disconnects, never with an internal error, and continues to serve others. {@code -Dseed=N}
 * replays a run.
 */
final class RandomMessagesTest {
    private static final int PROTOCOL = 3 << 16;
    private static final int CHANGES_MAX = 4;
    private static final int READ_WITHIN_MILLIS = 20_000;

    @Test
    void noMessageBreaksTheServer() throws Exception {
        Long replayed = Long.getLong("seed");
        if (replayed != null) {
            run(replayed, 500);
            return;
        }
        run(1, 150);
        run(System.nanoTime(), 100);
    }

    @Tag("slow")
    @Test
    void noneOfManyMessagesBreaksTheServer() throws Exception {
        run(2, 5_000);
    }

    private static void run(long seed, int count) throws Exception {
        Random random = new Random(seed);
        try (SqlServer server = new SqlServer(PostgresSettings.plain("127.0.0.1", 0), false)) {
            for (int i = 0; i < count; i++) {
                String answer = answer(server.port(), changed(random));
                assertThat(answer).as("seed %d, connection %d", seed, i).doesNotContain("XX000");
            }
            try (Connection connection = server.connect();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT 1")) {
                assertThat(rows.next()).as("seed %d", seed).isTrue();
            }
        }
    }

    /** All that the server sends until it disconnects. */
    private static String answer(int port, byte[] sent) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(READ_WITHIN_MILLIS);
            try {
                socket.getOutputStream().write(sent);
                socket.shutdownOutput();
                return new String(
                        socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            } catch (SocketException reset) {
                return "";
            }
        }
    }

    private static byte[] changed(Random random) throws IOException {
        byte[] bytes = conversation(random);
        int changes = random.nextInt(CHANGES_MAX + 1);
        for (int i = 0; i < changes; i++) {
            // Most changes come after the startup packet, which has few ways to go wrong.
            int from = random.nextInt(5) == 0 ? 0 : Math.min(40, bytes.length - 1);
            int at = from + random.nextInt(bytes.length - from);
            bytes[at] =
                    switch (random.nextInt(4)) {
                        case 0 -> (byte) random.nextInt(256);
                        case 1 -> (byte) (bytes[at] + 1);
                        case 2 -> (byte) 0xFF;
                        default -> 0;
                    };
        }
        boolean cut = random.nextInt(6) == 0;
        return cut ? java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    }

    private static byte[] conversation(Random random) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(all);
        byte[] names = "user\0ada\0database\0shop\0\0".getBytes(StandardCharsets.UTF_8);
        out.writeInt(names.length + 8);
        out.writeInt(PROTOCOL);
        out.write(names);
        int messages = 1 + random.nextInt(6);
        for (int i = 0; i < messages; i++) {
            message(out, random);
        }
        message(out, 'S', new byte[0]);
        message(out, 'X', new byte[0]);
        return all.toByteArray();
    }

    private static void message(DataOutputStream out, Random random) throws IOException {
        switch (random.nextInt(9)) {
            case 0 -> message(out, 'Q', text("SELECT 1; SELECT 'a'"));
            case 1 -> message(out, 'Q', text("COPY (SELECT 1) TO STDOUT"));
            case 2 ->
                    message(
                            out,
                            'P',
                            text("s", "SELECT $1::int + 1, $2::text"),
                            int16(1),
                            int32(23));
            case 3 ->
                    message(
                            out,
                            'B',
                            text("p", "s"),
                            int16(2),
                            int16(1),
                            int16(0),
                            int16(2),
                            int32(4),
                            int32(41),
                            int32(1),
                            new byte[] {'x'},
                            int16(1),
                            int16(1));
            case 4 -> message(out, 'D', new byte[] {'S'}, text("s"));
            case 5 -> message(out, 'D', new byte[] {'P'}, text("p"));
            case 6 -> message(out, 'E', text("p"), int32(random.nextInt(3)));
            case 7 -> message(out, 'C', new byte[] {'S'}, text("s"));
            default -> message(out, 'S', new byte[0]);
        }
    }

    private static void message(DataOutputStream out, char type, byte[]... parts)
            throws IOException {
        int length = 4;
        for (byte[] part : parts) {
            length += part.length;
        }
        out.writeByte(type);
        out.writeInt(length);
        for (byte[] part : parts) {
            out.write(part);
        }
    }

    private static byte[] text(String... texts) {
        return (String.join("\0", texts) + "\0").getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] int16(int value) {
        return new byte[] {(byte) (value >> 8), (byte) value};
    }

    private static byte[] int32(int value) {
        return new byte[] {
            (byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value
        };
    }
}
