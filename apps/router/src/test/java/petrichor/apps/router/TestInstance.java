package petrichor.apps.router;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An instance of an app: a small HTTP/1.1 server whose program writes the bytes itself. */
final class TestInstance implements AutoCloseable {
    private final ServerSocket server;
    private final Thread acceptor;
    private final String id;
    private final Program program;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();
    private final List<Request> requests = new CopyOnWriteArrayList<>();

    /** Answers one request; the connection closes if it returns false. */
    interface Program {
        boolean answer(Request request, InputStream in, OutputStream out) throws IOException;
    }

    /** The head of a request; the body is still in the stream. */
    record Request(String line, Map<String, String> headers) {
        String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }

        String path() {
            return line.split(" ", -1)[1];
        }

        byte[] body(InputStream in) throws IOException {
            if (header("transfer-encoding").equals("chunked")) {
                return chunks(in, new LinkedHashMap<>());
            }
            String length = header("content-length");
            return in.readNBytes(length.isEmpty() ? 0 : Integer.parseInt(length));
        }
    }

    TestInstance(String id, Program program) {
        this.id = id;
        this.program = program;
        try {
            this.server = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        this.acceptor = Thread.ofVirtual().start(this::accept);
    }

    /** Answers each request with its id and consumes bodies. */
    static TestInstance named(String id) {
        return new TestInstance(
                id,
                (request, in, out) -> {
                    request.body(in);
                    text(out, id);
                    return true;
                });
    }

    /** Writes a response of status 200. */
    static void text(OutputStream out, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: "
                        + bytes.length
                        + "\r\n\r\n";
        out.write(head.getBytes(StandardCharsets.US_ASCII));
        out.write(bytes);
        out.flush();
    }

    static void raw(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    /** The lines of a head, and the empty line after it. */
    static String head(String... lines) {
        return String.join("\r\n", lines) + "\r\n\r\n";
    }

    /** Reads a chunked body and its trailers. */
    static byte[] chunks(InputStream in, Map<String, String> trailers) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int size = Integer.parseInt(line(in), 16);
            if (size == 0) {
                for (String line = line(in); !line.isEmpty(); line = line(in)) {
                    put(trailers, line);
                }
                return body.toByteArray();
            }
            body.write(in.readNBytes(size));
            line(in);
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                open.add(socket);
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = new BufferedOutputStream(socket.getOutputStream());
            Request request = request(in);
            while (request != null) {
                requests.add(request);
                if (!program.answer(request, in, out)) {
                    return;
                }
                request = request(in);
            }
        } catch (IOException closed) {
            // the router or this instance has closed the connection
        } finally {
            open.remove(socket);
        }
    }

    private static @Nullable Request request(InputStream in) throws IOException {
        String line;
        try {
            line = line(in);
        } catch (EOFException end) {
            return null;
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (String field = line(in); !field.isEmpty(); field = line(in)) {
            put(headers, field);
        }
        return new Request(line, headers);
    }

    private static void put(Map<String, String> headers, String field) {
        int colon = field.indexOf(':');
        headers.merge(
                field.substring(0, colon).toLowerCase(Locale.ROOT),
                field.substring(colon + 1).strip(),
                (a, b) -> a + ", " + b);
    }

    static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int b = in.read();
            if (b < 0) {
                throw new EOFException();
            }
            if (b == '\n') {
                return line.toString();
            }
            if (b != '\r') {
                line.append((char) b);
            }
        }
    }

    String id() {
        return id;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
    }

    /** Connections that were accepted so far. */
    int connections() {
        return connections.get();
    }

    /** Requests that arrived so far. */
    List<Request> requests() {
        return requests;
    }

    Request last() {
        return requests.getLast();
    }

    /** Refuses further connections, and cuts off the open ones. */
    @Override
    public void close() {
        try {
            server.close();
            // Until its thread has left accept, the system accepts connections.
            acceptor.join();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
        for (Socket socket : open) {
            try {
                socket.setSoLinger(true, 0);
                socket.close();
            } catch (IOException closed) {
                // by its own thread, at the same moment
            }
        }
    }
}
