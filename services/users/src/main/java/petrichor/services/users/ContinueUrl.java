package petrichor.services.users;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * The URL to which a user returns after signing in or out. Only paths of the same host, and URLs of
 * hosts of this platform: otherwise a link to our login page could lead to any page of the Internet
 * (open redirect).
 */
public final class ContinueUrl {
    public static final int CHARS_MAX = 2048;
    private static final String HOME = "/";

    private ContinueUrl() {}

    /**
     * The URL itself if it is harmless, otherwise {@code /}.
     *
     * @param host of the request, with its port
     * @param appHosts whether another host belongs to this platform, with its port
     */
    public static String checked(String url, String host, Predicate<String> appHosts) {
        if (url.isEmpty()
                || url.length() > CHARS_MAX
                || url.chars().anyMatch(one -> one <= ' ' || one >= 0x7F || one == '\\')) {
            return HOME;
        }
        try {
            URI parsed = new URI(url);
            if (parsed.getScheme() == null && parsed.getRawAuthority() == null) {
                return url.startsWith("/") && !url.startsWith("//") ? url : HOME;
            }
            String scheme = String.valueOf(parsed.getScheme()).toLowerCase(Locale.ROOT);
            String authority = String.valueOf(parsed.getRawAuthority()).toLowerCase(Locale.ROOT);
            boolean web = scheme.equals("http") || scheme.equals("https");
            boolean ours =
                    authority.equals(host.toLowerCase(Locale.ROOT)) || appHosts.test(authority);
            return web && ours ? url : HOME;
        } catch (URISyntaxException e) {
            return HOME;
        }
    }
}
