package petrichor.apps.instances;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * A GET request to an instance, of which only the status matters. HTTP/1.1 with one connection per
 * request; a client library with a pool would keep connections to instances that are replaced.
 */
final class HttpGet {
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})( .*)?");
    private static final int LINE_BYTES_MAX = 8 << 10;

    /** Of the response; reading it all lets the app send it without an error. */
    private static final int BODY_BYTES_MAX = 256 << 10;

    /** For the rest of a response; apps may keep the connection open although asked to close it. */
    private static final Duration REST_MAX = Duration.ofMillis(500);

    private static final Pattern LENGTH = Pattern.compile("(?i)content-length:\\s*(\\d{1,9})");
    private static final int FIELDS_MAX = 200;
    private static final Duration TIMEOUT_MIN = Duration.ofMillis(1);

    private HttpGet() {}

    /** Checks what would otherwise allow to send a second request. */
    static void check(String path, Map<String, String> headers) {
        boolean valid = path.startsWith("/") && isOneWord(path);
        for (var header : headers.entrySet()) {
            valid &= isOneWord(header.getKey()) && !header.getKey().contains(":");
            valid &= header.getValue().chars().noneMatch(c -> c < ' ' && c != '\t');
        }
        if (!valid) {
            throw PetrichorException.invalid(
                    "the request to {path} of an instance is invalid: a path starts with /, and"
                            + " neither path nor header fields contain control characters",
                    "path",
                    path);
        }
    }

    private static boolean isOneWord(String text) {
        return !text.isEmpty() && text.chars().noneMatch(c -> c <= ' ' || c > '~');
    }

    static boolean accepts(int port, Duration timeout) {
        try (Socket socket = new Socket()) {
            socket.connect(address(port), millis(timeout));
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** The status; empty if there is no answer of HTTP within the time. */
    static OptionalInt status(
            int port, String path, Map<String, String> headers, Duration timeout) {
        long endNanos = System.nanoTime() + timeout.toNanos();
        try (Socket socket = new Socket()) {
            socket.connect(address(port), millis(timeout));
            StringBuilder request = new StringBuilder("GET " + path + " HTTP/1.1\r\n");
            request.append("Host: localhost:").append(port).append("\r\nConnection: close\r\n");
            headers.forEach(
                    (name, value) ->
                            request.append(name).append(": ").append(value).append("\r\n"));
            request.append("\r\n");
            socket.getOutputStream()
                    .write(request.toString().getBytes(StandardCharsets.ISO_8859_1));
            InputStream in = new BufferedInputStream(socket.getInputStream());
            Optional<String> line = line(socket, in, endNanos);
            if (line.isEmpty()) {
                return OptionalInt.empty();
            }
            long restNanos = System.nanoTime() + REST_MAX.toNanos();
            drain(socket, in, restNanos - endNanos < 0 ? restNanos : endNanos);
            Matcher status = STATUS.matcher(line.get());
            return status.matches()
                    ? OptionalInt.of(Integer.parseInt(status.group(1)))
                    : OptionalInt.empty();
        } catch (IOException noAnswer) {
            return OptionalInt.empty();
        }
    }

    /** A line of the head; empty at its end. */
    private static Optional<String> line(Socket socket, InputStream in, long endNanos)
            throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (line.size() < LINE_BYTES_MAX) {
            limit(socket, endNanos);
            int read = in.read();
            if (read < 0 || read == '\n') {
                break;
            }
            line.write(read);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1).strip();
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    /** Reads up to the end of the response, of the connection, or of the time. */
    private static void drain(Socket socket, InputStream in, long endNanos) {
        byte[] buffer = new byte[8 << 10];
        try {
            int left = bodyBytes(socket, in, endNanos);
            while (left > 0) {
                limit(socket, endNanos);
                int read = in.read(buffer, 0, Math.min(left, buffer.length));
                if (read < 0) {
                    return;
                }
                left -= read;
            }
        } catch (IOException afterTheStatus) {
            // The status is known.
        }
    }

    /** Reads the header fields; how much of the body is to be read. */
    private static int bodyBytes(Socket socket, InputStream in, long endNanos) throws IOException {
        int bytes = BODY_BYTES_MAX;
        for (int i = 0; i < FIELDS_MAX; i++) {
            Optional<String> field = line(socket, in, endNanos);
            if (field.isEmpty()) {
                break;
            }
            Matcher length = LENGTH.matcher(field.get());
            if (length.matches()) {
                bytes = Math.min(BODY_BYTES_MAX, Integer.parseInt(length.group(1)));
            }
        }
        return bytes;
    }

    private static void limit(Socket socket, long endNanos) throws IOException {
        Duration left = Duration.ofNanos(endNanos - System.nanoTime());
        if (left.isNegative()) {
            throw new SocketTimeoutException("no answer in time");
        }
        socket.setSoTimeout(millis(left));
    }

    private static int millis(Duration timeout) {
        Duration positive = timeout.compareTo(TIMEOUT_MIN) < 0 ? TIMEOUT_MIN : timeout;
        return (int) Math.min(Integer.MAX_VALUE, positive.toMillis());
    }

    private static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
}
