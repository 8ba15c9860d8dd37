package petrichor.apps.manifest;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.yaml.YamlMapping;
import petrichor.yaml.YamlScalar;

/** {@code http_headers} of static handlers, with App Engine's rules. */
final class StaticHeaders {
    static final int HEADERS_MAX = 500;

    /** Name, value and separators. */
    private static final int HEADER_CHARACTERS_MAX = 499;

    private static final int SEPARATORS = ": \r\n".length();
    private static final int POLICY_CHARACTERS_MAX = 10_240;
    private static final int COOKIE_CHARACTERS_MAX = 4_096;
    private static final int URL_CHARACTERS_MAX = 2_047;

    /** Values of these headers may be longer. */
    private static final Map<String, Integer> LONG =
            Map.of(
                    "content-security-policy", POLICY_CHARACTERS_MAX,
                    "x-content-security-policy", POLICY_CHARACTERS_MAX,
                    "x-webkit-csp", POLICY_CHARACTERS_MAX,
                    "content-security-policy-report-only", POLICY_CHARACTERS_MAX,
                    "set-cookie", COOKIE_CHARACTERS_MAX,
                    "set-cookie2", COOKIE_CHARACTERS_MAX,
                    "location", URL_CHARACTERS_MAX);

    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]*");

    /** Headers of requests, of one connection, and those that the server writes itself. */
    private static final Set<String> REFUSED =
            Set.of(
                    "accept",
                    "accept-charset",
                    "accept-encoding",
                    "accept-language",
                    "authorization",
                    "connection",
                    "content-encoding",
                    "content-length",
                    "date",
                    "expect",
                    "from",
                    "host",
                    "if-match",
                    "if-modified-since",
                    "if-none-match",
                    "if-range",
                    "if-unmodified-since",
                    "keep-alive",
                    "max-forwards",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "range",
                    "referer",
                    "server",
                    "te",
                    "trailers",
                    "transfer-encoding",
                    "upgrade",
                    "user-agent");

    private StaticHeaders() {}

    /**
     * @param hasMimeType whether the type of the content is given already
     */
    static Map<String, String> read(YamlMapping handler, boolean hasMimeType) {
        Map<String, String> headers = new LinkedHashMap<>();
        Set<String> names = new TreeSet<>();
        handler.entries("http_headers", HEADERS_MAX)
                .forEach(
                        (name, scalar) -> {
                            String lower = name.toLowerCase(Locale.ROOT);
                            String problem = problem(name, lower, scalar);
                            if (lower.equals("content-type") && hasMimeType) {
                                problem = "repeats mime_type";
                            } else if (!names.add(lower)) {
                                problem = "occurs twice";
                            }
                            if (problem != null) {
                                throw handler.invalid(
                                        scalar, "the header \"" + name + "\" " + problem);
                            }
                            headers.put(name, scalar.text());
                        });
        return headers;
    }

    private static @Nullable String problem(String name, String lower, YamlScalar scalar) {
        if (!NAME.matcher(name).matches()) {
            return "has a character that is not allowed in a name";
        }
        if (REFUSED.contains(lower) || lower.startsWith("x-appengine")) {
            return "cannot be set by an app";
        }
        String value = scalar.text();
        if (value(value) == null) {
            return "has a character that is not printable ASCII";
        }
        boolean tooLong =
                LONG.containsKey(lower)
                        ? value.length() > LONG.get(lower)
                        : name.length() + value.length() + SEPARATORS > HEADER_CHARACTERS_MAX;
        return tooLong ? "is too long" : null;
    }

    /** A value as it is; null if it is not printable ASCII. */
    static @Nullable String value(String text) {
        return VALUE.matcher(text).matches() ? text : null;
    }
}
