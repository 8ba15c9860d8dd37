package petrichor.apps.router;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A client that sends exactly the given bytes. */
final class RawClient implements AutoCloseable {
    private static final int TIMEOUT_MS = 20_000;

    private final Socket socket;
    private final InputStream in;

    RawClient(InetSocketAddress address) throws IOException {
        this(new Socket(address.getAddress(), address.getPort()));
    }

    RawClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MS);
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** A response with its complete body. */
    record Response(
            int status, Map<String, String> headers, byte[] body, Map<String, String> trailers) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }
    }

    RawClient send(String bytes) throws IOException {
        return send(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** The head of the next response; its body stays in the stream. */
    Response head() throws IOException {
        String[] status = TestInstance.line(in).split(" ", 3);
        Map<String, String> headers = new LinkedHashMap<>();
        for (String line = TestInstance.line(in); !line.isEmpty(); line = TestInstance.line(in)) {
            int colon = line.indexOf(':');
            headers.merge(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip(),
                    (a, b) -> a + ", " + b);
        }
        return new Response(Integer.parseInt(status[1]), headers, new byte[0], Map.of());
    }

    Response read() throws IOException {
        return read(false);
    }

    /**
     * @param bodyless whether the request was a HEAD request
     */
    Response read(boolean bodyless) throws IOException {
        Response head = head();
        if (bodyless || head.status() < 200 || head.status() == 204 || head.status() == 304) {
            return head;
        }
        Map<String, String> trailers = new LinkedHashMap<>();
        byte[] body;
        if (head.header("transfer-encoding").equals("chunked")) {
            body = TestInstance.chunks(in, trailers);
        } else if (head.header("content-length").isEmpty()) {
            body = in.readAllBytes();
        } else {
            body = in.readNBytes(Integer.parseInt(head.header("content-length")));
        }
        return new Response(head.status(), head.headers(), body, trailers);
    }

    Response exchange(String request) throws IOException {
        return send(request).read();
    }

    InputStream in() {
        return in;
    }

    Socket socket() {
        return socket;
    }

    /** Everything until the router closes the connection. */
    String rest() throws IOException {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        try {
            in.transferTo(rest);
        } catch (java.net.SocketException reset) {
            // also an end
        }
        return rest.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
