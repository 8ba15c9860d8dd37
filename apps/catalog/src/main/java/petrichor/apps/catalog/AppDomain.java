package petrichor.apps.catalog;

import java.net.IDN;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * A host outside the platform's domain that leads to a service of an app.
 *
 * @param host in lower case and ASCII; {@code *.example.com}: all its subdomains
 */
public record AppDomain(String host, String service) {
    /** Of a name in the DNS. */
    private static final int HOST_CHARACTERS_MAX = 253;

    private static final String WILDCARD = "*.";
    private static final String LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";

    /** The last label begins with a letter: it is not a part of an IP address. */
    private static final Pattern HOST =
            Pattern.compile("(?:" + LABEL + "\\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?");

    public AppDomain {
        Names.requireService(service);
        String name = host.startsWith(WILDCARD) ? host.substring(WILDCARD.length()) : host;
        boolean wide = host.startsWith(WILDCARD) && name.indexOf('.') < 0;
        if (host.length() > HOST_CHARACTERS_MAX || wide || !HOST.matcher(name).matches()) {
            throw invalid(host, null);
        }
    }

    /**
     * @param text as a user writes it: also in capitals, with other letters than those of ASCII, or
     *     with a dot at its end
     */
    public static AppDomain of(String text, String service) {
        return new AppDomain(normal(text), service);
    }

    /** The form in which a host is stored. */
    public static String normal(String text) {
        String lower = text.strip().toLowerCase(Locale.ROOT);
        String host = lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
        String wildcard = host.startsWith(WILDCARD) ? WILDCARD : "";
        try {
            return wildcard + IDN.toASCII(host.substring(wildcard.length()));
        } catch (IllegalArgumentException unreadable) {
            throw invalid(text, unreadable);
        }
    }

    public boolean isWildcard() {
        return host.startsWith(WILDCARD);
    }

    /** Whether the host is a name in a domain, or all of it. */
    public boolean isWithin(String domain) {
        return ("." + host).endsWith("." + domain);
    }

    private static PetrichorException invalid(String host, @Nullable Throwable cause) {
        PetrichorException refused =
                PetrichorException.invalid(
                        "\"{host}\" is not a domain; give a host name without scheme, port and"
                                + " path, such as www.example.com or *.example.com",
                        "host",
                        host);
        if (cause != null) {
            refused.addSuppressed(cause);
        }
        return refused;
    }
}
