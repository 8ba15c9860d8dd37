package petrichor.testing.crash.hostile;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Five connections without a token fill the buffers shared by all connections, and wait. */
final class StrangersBodies implements Attack {
    private static final int CONNECTIONS = 5;
    private static final int BODY_BYTES = 32_000_000;
    private static final int HELD_MILLIS = 3_000;

    @Override
    public void strike(Target target) throws Exception {
        List<Socket> held = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                Socket socket = target.connect();
                held.add(socket);
                send(socket);
            }
            Thread.sleep(HELD_MILLIS);
        } finally {
            for (Socket socket : held) {
                socket.close();
            }
        }
    }

    private static void send(Socket socket) {
        try {
            socket.getOutputStream()
                    .write(
                            ("POST /v1/projects/p:commit HTTP/1.1\r\nHost: localhost\r\n"
                                            + "Content-Type: application/json\r\nContent-Length: "
                                            + BODY_BYTES
                                            + "\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(new byte[BODY_BYTES - 1]);
        } catch (IOException refused) {
            return; // closed before the whole body was sent
        }
    }
}
