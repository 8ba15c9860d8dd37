package petrichor.apps.router.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;

/**
 * The target of a request (RFC 9112, section 3.2), without dot segments and with valid escapes.
 *
 * @param uri what the instance gets: the path as the client escaped it, and the query
 * @param path decoded, as servers of apps see it; handlers are matched with it
 * @param strictPath the path as the most lenient server could read it: additionally without path
 *     parameters, with backslashes as slashes and without empty segments. Rules that protect
 *     something are checked with it too.
 * @param authority of a target in absolute form
 */
public record RequestTarget(String uri, String path, String strictPath, Optional<String> authority)
        implements ParsedTarget {
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    /**
     * @param raw from the request line, where characters are bytes
     */
    public static ParsedTarget parse(String raw) {
        if (raw.isEmpty()) {
            return new MalformedTarget("the target of the request is empty");
        }
        if (raw.charAt(0) == '/') {
            return originForm(raw, Optional.empty());
        }
        int scheme = raw.indexOf("://");
        if (scheme < 0 || !isHttp(raw.substring(0, scheme))) {
            return new MalformedTarget("the target of the request must be a path");
        }
        int slash = raw.indexOf('/', scheme + 3);
        int question = raw.indexOf('?', scheme + 3);
        int end = slash < 0 ? raw.length() : slash;
        if (question >= 0 && question < end) {
            end = question;
        }
        String authority = raw.substring(scheme + 3, end);
        String rest = raw.substring(end);
        return originForm(rest.startsWith("/") ? rest : "/" + rest, Optional.of(authority));
    }

    private static boolean isHttp(String scheme) {
        return scheme.equalsIgnoreCase("http") || scheme.equalsIgnoreCase("https");
    }

    private static ParsedTarget originForm(String raw, Optional<String> authority) {
        int question = raw.indexOf('?');
        String path = question < 0 ? raw : raw.substring(0, question);
        String query = question < 0 ? "" : raw.substring(question);
        if (isPlain(path) && isPlainQuery(query)) {
            return new RequestTarget(raw, path, path, authority);
        }
        return normalised(path, query, authority);
    }

    /** Most targets: nothing to decode and no dot or empty segment. */
    private static boolean isPlain(String path) {
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            boolean plain = letter || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '~';
            boolean inside = i > 0 && path.charAt(i - 1) != '/';
            if (!plain && !(c == '.' && inside) && !(c == '/' && (i == 0 || inside))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPlainQuery(String query) {
        for (int i = 0; i < query.length(); i++) {
            char c = query.charAt(i);
            if (c <= ' ' || c == '#' || c >= 0x7f) {
                return false;
            }
        }
        return true;
    }

    private static ParsedTarget normalised(
            String rawPath, String rawQuery, Optional<String> authority) {
        Optional<String> path = escaped(rawPath, true);
        Optional<String> query = escaped(rawQuery, false);
        if (path.isEmpty() || query.isEmpty()) {
            return new MalformedTarget(
                    "the target of the request has an invalid escape, a control character or a"
                            + " fragment");
        }
        Optional<String> plain = withoutDots(path.get());
        if (plain.isEmpty()) {
            return new MalformedTarget("the path has a dot segment with parameters");
        }
        String decoded = decoded(plain.get());
        if (!withoutDots(decoded).equals(Optional.of(decoded))) {
            // some servers split the path before they decode it, others afterwards
            return new MalformedTarget("the path has an escaped slash beside a dot segment");
        }
        return new RequestTarget(plain.get() + query.get(), decoded, lenient(decoded), authority);
    }

    /** Escapes bytes outside ASCII; empty if a character or an escape is not allowed. */
    private static Optional<String> escaped(String part, boolean inPath) {
        StringBuilder clean = new StringBuilder(part.length() + 16);
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (c <= ' ' || c == 0x7f || c == '#' || c > 0xff) {
                return Optional.empty();
            }
            if (c > 0x7f) {
                clean.append('%').append(HEX[c >> 4]).append(HEX[c & 15]);
            } else if (c == '%' && inPath) {
                int value = escape(part, i);
                if (value <= 0) {
                    return Optional.empty();
                }
                appendEscape(clean, value);
                i += 2;
            } else {
                clean.append(c);
            }
        }
        return Optional.of(clean.toString());
    }

    /** Letters, digits and {@code . _ ~ -} need no escape (RFC 3986, section 6.2.2.2). */
    private static void appendEscape(StringBuilder clean, int value) {
        boolean unreserved =
                value < 0x7f && (Character.isLetterOrDigit(value) || "._~-".indexOf(value) >= 0);
        if (unreserved) {
            clean.append((char) value);
        } else {
            clean.append('%').append(HEX[value >> 4]).append(HEX[value & 15]);
        }
    }

    /** The byte of the escape at the index; -1 if it is invalid. */
    private static int escape(String part, int at) {
        if (at + 2 >= part.length()) {
            return -1;
        }
        int high = hex(part.charAt(at + 1));
        int low = hex(part.charAt(at + 2));
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    private static int hex(char c) {
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        int lower = c | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }

    /** Empty if a dot segment has parameters, which some servers ignore and others do not. */
    private static Optional<String> withoutDots(String path) {
        if (!path.contains("/.")) {
            return Optional.of(path);
        }
        Deque<String> segments = new ArrayDeque<>();
        String[] all = path.split("/", -1);
        for (int i = 1; i < all.length; i++) {
            String segment = all[i];
            boolean last = i == all.length - 1;
            if (segment.startsWith(".;") || segment.startsWith("..;")) {
                return Optional.empty();
            }
            if (segment.equals("..")) {
                segments.pollLast();
            }
            if (!segment.equals(".") && !segment.equals("..")) {
                segments.addLast(segment);
            } else if (last) {
                segments.addLast("");
            }
        }
        StringBuilder plain = new StringBuilder(path.length());
        for (Iterator<String> left = segments.iterator(); left.hasNext(); ) {
            plain.append('/').append(left.next());
        }
        return Optional.of(plain.isEmpty() ? "/" : plain.toString());
    }

    private static String decoded(String path) {
        if (path.indexOf('%') < 0) {
            return path;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(path.length());
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '%') {
                bytes.write(escape(path, i));
                i += 2;
            } else {
                bytes.write(c);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static String lenient(String path) {
        StringBuilder lenient = new StringBuilder(path.length());
        boolean parameters = false;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i) == '\\' ? '/' : path.charAt(i);
            if (c == '/') {
                parameters = false;
                if (lenient.isEmpty() || lenient.charAt(lenient.length() - 1) != '/') {
                    lenient.append(c);
                }
            } else if (c == ';') {
                parameters = true;
            } else if (!parameters) {
                lenient.append(c);
            }
        }
        return withoutDots(lenient.toString()).orElse("/");
    }
}
