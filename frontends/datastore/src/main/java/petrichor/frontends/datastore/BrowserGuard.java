package petrichor.frontends.datastore;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Refuses cross-site requests of web pages while no token is configured. A page in a browser on
 * this machine could send requests to a loopback server. Two headers that pages cannot forge reveal
 * such requests: {@code Host} is the name by which the client knows the server, which after DNS
 * rebinding is the attacker's; {@code Origin} (and {@code Sec-Fetch-Site}) identify the page.
 * Immutable.
 */
final class BrowserGuard {
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final String LOCALHOST = "localhost";
    private static final String CROSS_SITE = "cross-site";
    private static final String NAVIGATION = "navigate";

    private final boolean tokenNeeded;
    private final Set<String> names;

    /**
     * @param tokenNeeded whether callers must send a token, which foreign pages do not have; then
     *     nothing is refused
     * @param names host names of the server, in addition to localhost and addresses
     */
    BrowserGuard(boolean tokenNeeded, Set<String> names) {
        this.tokenNeeded = tokenNeeded;
        this.names = Set.copyOf(names);
    }

    /**
     * The headers in which a browser describes a request.
     *
     * @param host null for clients of HTTP/1.0, which browsers do not use
     * @param fetchSite {@code Sec-Fetch-Site}
     * @param fetchMode {@code Sec-Fetch-Mode}
     */
    record Sender(
            @Nullable String host,
            @Nullable String origin,
            @Nullable String fetchSite,
            @Nullable String fetchMode) {}

    /** PERMISSION_DENIED for a request that a page of another site may have sent. */
    void check(Sender sender, boolean reads) {
        if (tokenNeeded) {
            return;
        }
        if (sender.host() != null) {
            checkHost(sender.host());
        }
        if (sender.origin() != null) {
            checkOrigin(sender.origin(), sender.host());
        }
        boolean followsLink = reads && NAVIGATION.equals(sender.fetchMode());
        if (CROSS_SITE.equals(sender.fetchSite()) && !followsLink) {
            throw denied("a page of another site sent this request (Sec-Fetch-Site)");
        }
    }

    private void checkHost(String host) {
        if (!isOurs(nameOf(host))) {
            throw denied(
                    "\""
                            + host
                            + "\" is not a name of this server (Host); use localhost or an address,"
                            + " or add the name to server.names");
        }
    }

    /** PERMISSION_DENIED unless the page is served from this machine or by this server. */
    void checkOrigin(String origin, @Nullable String host) {
        if (tokenNeeded) {
            return;
        }
        String sender = hostOf(origin);
        boolean ours = host != null && origin.endsWith("://" + host) && isOurs(nameOf(host));
        if (sender == null || !(isLoopback(nameOf(sender)) || ours)) {
            throw denied("the page \"" + origin + "\" sent this request (Origin)");
        }
    }

    private static PetrichorException denied(String why) {
        return PetrichorException.of(
                ErrorCode.PERMISSION_DENIED,
                "while no token is configured (auth.token), web pages may not use this server:"
                        + " {reason}",
                "reason",
                why);
    }

    /** DNS rebinding is impossible for addresses, and public names have at least two parts. */
    private boolean isOurs(String name) {
        return isLoopback(name)
                || name.startsWith("[")
                || IPV4.matcher(name).matches()
                || (!name.isEmpty() && !name.contains("."))
                || names.contains(name);
    }

    private static boolean isLoopback(String name) {
        return name.equals(LOCALHOST)
                || name.endsWith("." + LOCALHOST)
                || name.equals("[::1]")
                || (name.startsWith("127.") && IPV4.matcher(name).matches());
    }

    /** Removes the port. */
    private static String nameOf(String host) {
        int port = host.lastIndexOf(':');
        boolean hasPort = port > host.lastIndexOf(']');
        String name = hasPort ? host.substring(0, port) : host;
        return (name.endsWith(".") ? name.substring(0, name.length() - 1) : name)
                .toLowerCase(Locale.ROOT);
    }

    private static @Nullable String hostOf(String origin) {
        try {
            URI uri = new URI(origin);
            return uri.getHost();
        } catch (URISyntaxException none) {
            return null;
        }
    }
}
