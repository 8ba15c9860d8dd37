package petrichor.testing.crash.hostile;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens more connections than the server has file handles; each sends only its preface and stays
 * open.
 */
final class IdleConnections implements Attack {
    private static final int CONNECTIONS = HostileClientsTest.HANDLES + 200;
    private static final int HELD_MILLIS = 5_000;
    private static final byte[] HELLO =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    @Override
    public void strike(Target target) throws Exception {
        List<Socket> held = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                try {
                    Socket socket = target.connect();
                    held.add(socket);
                    socket.getOutputStream().write(HELLO);
                } catch (IOException refused) {
                    Thread.sleep(1); // over the limit
                }
            }
            Thread.sleep(HELD_MILLIS);
        } finally {
            for (Socket socket : held) {
                socket.close();
            }
        }
    }
}
