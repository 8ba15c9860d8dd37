package petrichor.services.fetch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/** Sends fixed bytes to each connection and closes it, or sends nothing and keeps it open. */
final class RawServer implements AutoCloseable {
    private final ServerSocket socket;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private RawServer(String answer, boolean silent) {
        try {
            socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread = Thread.ofVirtual().start(() -> serve(answer, silent));
    }

    static RawServer answering(String answer) {
        return new RawServer(answer, false);
    }

    static RawServer silent(String beginning) {
        return new RawServer(beginning, true);
    }

    String url() {
        return "http://server.example:" + socket.getLocalPort() + "/";
    }

    private void serve(String answer, boolean silent) {
        while (!socket.isClosed()) {
            try {
                Socket one = socket.accept();
                Thread.ofVirtual().start(() -> answer(one, answer, silent));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void answer(Socket one, String answer, boolean silent) {
        try (one) {
            byte[] request = new byte[8192];
            if (one.getInputStream().read(request) > 0) {
                one.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                one.getOutputStream().flush();
            }
            if (silent) {
                closed.await();
            }
        } catch (IOException | InterruptedException e) {
            // The client has closed the connection.
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            socket.close();
            thread.join();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
