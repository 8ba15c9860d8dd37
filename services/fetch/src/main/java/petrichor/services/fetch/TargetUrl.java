package petrichor.services.fetch;

import java.net.IDN;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.services.fetch.FetchResult.Reason;

/**
 * A URL that was checked: http or https, a host, a port that App Engine allows, no credentials.
 *
 * @param scheme http or https
 * @param host in lower case and ASCII; an IPv6 address is in brackets
 * @param port never 0
 * @param path with the query; begins with a slash
 */
record TargetUrl(String scheme, String host, int port, String path) {
    private static final Pattern AUTHORITY =
            Pattern.compile("(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9._-]+)(?::([0-9]{0,5}))?");

    /** Characters that browsers escape, and that a request line must not contain. */
    private static final String ESCAPED = " \"<>\\^`{|}";

    /**
     * @throws FetchFailure INVALID_URL
     */
    static TargetUrl parse(String text, FetchAllowlist allowed) {
        if (text.length() > FetchLimits.URL_CHARS_MAX) {
            throw invalid("the URL is longer than " + FetchLimits.URL_CHARS_MAX + " characters");
        }
        try {
            return of(new URI(escaped(text)), allowed);
        } catch (URISyntaxException e) {
            throw invalid("the URL is malformed");
        }
    }

    /** The target of a redirect, which may be relative. */
    TargetUrl redirect(String location, FetchAllowlist allowed) {
        if (location.length() > FetchLimits.URL_CHARS_MAX) {
            throw invalid("the target of a redirect is too long");
        }
        try {
            return of(new URI(text()).resolve(new URI(escaped(location))), allowed);
        } catch (URISyntaxException | IllegalArgumentException e) {
            throw invalid("the target of a redirect is malformed");
        }
    }

    private static TargetUrl of(URI uri, FetchAllowlist allowed) {
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https")) {
            throw invalid("only http and https URLs can be fetched");
        }
        Matcher authority = AUTHORITY.matcher(ascii(uri.getRawAuthority()));
        if (!authority.matches()) {
            throw invalid("the URL needs a host, without a user name");
        }
        String host = authority.group(1).toLowerCase(Locale.ROOT);
        String digits = authority.group(2);
        int standard = scheme.equals("http") ? 80 : 443;
        int port = digits == null || digits.isEmpty() ? standard : Integer.parseInt(digits);
        if (!isAllowed(port) && !allowed.namesPort(port)) {
            throw invalid("port " + port + " is not allowed; use 80-90, 440-450 or 1024-65535");
        }
        String path = uri.getRawPath() == null ? "" : uri.getRawPath();
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        return new TargetUrl(scheme, host, port, (path.startsWith("/") ? "" : "/") + path + query);
    }

    private static String ascii(String authority) {
        if (authority == null) {
            return "";
        }
        try {
            return authority.chars().allMatch(one -> one < 0x80)
                    ? authority
                    : IDN.toASCII(authority);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** The ports of public servers that App Engine permits. */
    static boolean isAllowed(int port) {
        return (port >= 80 && port <= 90)
                || (port >= 440 && port <= 450)
                || (port >= 1024 && port <= 0xFFFF);
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        int authorityEnd = authorityEnd(text);
        for (int i = 0; i < text.length(); ) {
            int one = text.codePointAt(i);
            String character = Character.toString(one);
            boolean escape = ESCAPED.indexOf(one) >= 0 || (one >= 0x80 && i >= authorityEnd);
            if (!escape) {
                escaped.append(character);
            } else {
                for (byte part : character.getBytes(StandardCharsets.UTF_8)) {
                    escaped.append('%').append(String.format(Locale.ROOT, "%02X", part & 0xFF));
                }
            }
            i += Character.charCount(one);
        }
        return escaped.toString();
    }

    /** A host may have letters of any script. */
    private static int authorityEnd(String text) {
        int start = text.indexOf("//");
        if (start < 0) {
            return 0;
        }
        for (int i = start + 2; i < text.length(); i++) {
            if ("/?#".indexOf(text.charAt(i)) >= 0) {
                return i;
            }
        }
        return text.length();
    }

    private static FetchFailure invalid(String detail) {
        return new FetchFailure(Reason.INVALID_URL, detail);
    }

    /** Whether credentials for the other URL may be sent to this one. */
    boolean hasOriginOf(TargetUrl other) {
        return scheme.equals(other.scheme) && host.equals(other.host) && port == other.port;
    }

    boolean hasStandardPort() {
        return port == (scheme.equals("http") ? 80 : 443);
    }

    /** The host without brackets, for the resolver and for TLS. */
    String bareHost() {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    String text() {
        return scheme + "://" + host + (hasStandardPort() ? "" : ":" + port) + path;
    }
}
