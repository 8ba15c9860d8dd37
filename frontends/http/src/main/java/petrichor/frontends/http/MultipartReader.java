package petrichor.frontends.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Reads the parts of a multipart body (RFC 2046, section 5.1) while it arrives. Each part is read
 * to its end before the next one; its content may have any size. Malformed bodies are
 * INVALID_ARGUMENT. Confined to one thread.
 */
public final class MultipartReader {
    /** Bytes of the header fields of one part. */
    private static final int HEADERS_BYTES_MAX = 16 << 10;

    private static final Pattern BOUNDARY =
            Pattern.compile(
                    ";\\s*boundary=(?:\"(?<quoted>[^\"]{1,70})\"|(?<plain>[^\\s;\"]{1,70}))",
                    Pattern.CASE_INSENSITIVE);

    private final RequestBody body;

    /** A line end, two hyphens and the boundary. */
    private final byte[] delimiter;

    /** Bytes that arrived; those before {@code from} were returned. */
    private byte[] window = new byte[0];

    private int from;
    private int filled;
    private boolean inPart = true;
    private boolean ended;

    /**
     * @param contentType of the request, with the boundary
     */
    public MultipartReader(String contentType, RequestBody body) {
        Matcher found = BOUNDARY.matcher(contentType);
        if (!found.find()) {
            throw PetrichorException.invalid(
                    "the Content-Type \"{contentType}\" of a multipart body has no boundary",
                    "contentType",
                    contentType);
        }
        String boundary = found.group("quoted") == null ? found.group("plain") : found.group(1);
        this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
        this.body = body;
        // The first boundary may be at the very beginning.
        append("\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * The head of a part.
     *
     * @param headers with lower-case names
     */
    public record Part(Map<String, String> headers) {
        public Part {
            headers = Map.copyOf(headers);
        }

        /** Empty if not set. */
        public String contentType() {
            return headers.getOrDefault("content-type", "");
        }

        /** A parameter of Content-Disposition, such as {@code name}. */
        public Optional<String> disposition(String parameter) {
            Matcher matcher =
                    Pattern.compile(
                                    ";\\s*"
                                            + Pattern.quote(parameter)
                                            + "=(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^\\s;\"]+))",
                                    Pattern.CASE_INSENSITIVE)
                            .matcher(headers.getOrDefault("content-disposition", ""));
            if (!matcher.find()) {
                return Optional.empty();
            }
            return Optional.of(
                    matcher.group(1) == null
                            ? matcher.group(2)
                            : matcher.group(1).replaceAll("\\\\(.)", "$1"));
        }
    }

    /** The head of the next part, after the rest of the current one; null after the last part. */
    public @Nullable Part nextPart() {
        while (next() != null) {
            // The rest of the current part, or what precedes the first one.
        }
        if (ended) {
            return null;
        }
        // After the delimiter: white space and a line end, or two hyphens.
        String line = line();
        if (line.startsWith("--")) {
            ended = true;
            drain();
            return null;
        }
        if (!line.isBlank()) {
            throw malformed("a boundary is followed by other text");
        }
        Map<String, String> headers = new HashMap<>();
        int bytes = 0;
        for (String field = line(); !field.isEmpty(); field = line()) {
            int colon = field.indexOf(':');
            bytes += field.length();
            if (colon < 1 || bytes > HEADERS_BYTES_MAX) {
                throw malformed("the header fields of a part are invalid or too long");
            }
            headers.putIfAbsent(
                    field.substring(0, colon).strip().toLowerCase(Locale.ROOT),
                    field.substring(colon + 1).strip());
        }
        inPart = true;
        return new Part(headers);
    }

    /** The next bytes of the current part; null at its end. */
    public byte @Nullable [] next() {
        if (!inPart) {
            return null;
        }
        byte[] piece = content();
        inPart = piece != null;
        return piece;
    }

    /** Text of the current part in UTF-8; INVALID_ARGUMENT if it is longer than the maximum. */
    public String text(int bytesMax) {
        byte[] all = new byte[0];
        for (byte[] piece = next(); piece != null; piece = next()) {
            if (all.length + piece.length > bytesMax) {
                throw PetrichorException.invalid(
                        "a part of the multipart body is longer than {bytesMax} bytes",
                        "bytesMax",
                        bytesMax);
            }
            int at = all.length;
            all = Arrays.copyOf(all, at + piece.length);
            System.arraycopy(piece, 0, all, at, piece.length);
        }
        return new String(all, StandardCharsets.UTF_8);
    }

    /** The next bytes before a delimiter; null when it is reached, and skipped. */
    private byte @Nullable [] content() {
        while (true) {
            int end = find(from);
            if (end == from) {
                from += delimiter.length;
                return null;
            }
            // Without a delimiter, the last bytes stay, as they may be the beginning of one.
            int until = end > from ? end : filled - delimiter.length + 1;
            if (until > from) {
                byte[] piece = Arrays.copyOfRange(window, from, until);
                from = until;
                return piece;
            }
            more();
        }
    }

    private int find(int start) {
        int last = filled - delimiter.length;
        for (int at = start; at <= last; at++) {
            if (window[at] == '\r' && matches(at)) {
                return at;
            }
        }
        return -1;
    }

    private boolean matches(int at) {
        return Arrays.equals(window, at, at + delimiter.length, delimiter, 0, delimiter.length);
    }

    private String line() {
        while (true) {
            for (int at = from; at + 1 < filled; at++) {
                if (window[at] == '\r' && window[at + 1] == '\n') {
                    String line = new String(window, from, at - from, StandardCharsets.UTF_8);
                    from = at + 2;
                    return line;
                }
            }
            if (filled - from > HEADERS_BYTES_MAX) {
                throw malformed("a header field of a part is too long");
            }
            more();
        }
    }

    private void more() {
        byte[] piece = body.next();
        if (piece == null) {
            throw malformed("it ends before its last boundary");
        }
        append(piece);
    }

    private void append(byte[] piece) {
        int kept = filled - from;
        byte[] joined = new byte[kept + piece.length];
        System.arraycopy(window, from, joined, 0, kept);
        System.arraycopy(piece, 0, joined, kept, piece.length);
        window = joined;
        from = 0;
        filled = joined.length;
    }

    private void drain() {
        window = new byte[0];
        from = 0;
        filled = 0;
        while (body.next() != null) {
            // The text after the last boundary has no meaning.
        }
    }

    private static PetrichorException malformed(String why) {
        return PetrichorException.invalid("the multipart body is invalid: {reason}", "reason", why);
    }
}
