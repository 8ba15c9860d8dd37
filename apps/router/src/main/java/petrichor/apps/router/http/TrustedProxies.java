package petrichor.apps.router.http;

import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.AddressBlock;

/**
 * Proxies in front of the router whose {@code X-Forwarded-For} and {@code X-Forwarded-Proto} are
 * believed. Of all others these fields are ignored, and never reach an app. Immutable.
 */
public record TrustedProxies(List<AddressBlock> blocks) {
    public static final TrustedProxies NONE = new TrustedProxies(List.of());

    private static final Pattern DOTTED = Pattern.compile("\\d+(\\.\\d+){3}");
    private static final String FOR = "X-Forwarded-For";
    private static final String PROTOCOL = "X-Forwarded-Proto";

    public TrustedProxies {
        blocks = List.copyOf(blocks);
    }

    /** Addresses and blocks such as 10.1.0.0/16, separated by commas. */
    public static TrustedProxies parse(String text) {
        return new TrustedProxies(
                Arrays.stream(text.split(",", -1))
                        .map(String::strip)
                        .map(AddressBlock::parse)
                        .toList());
    }

    /**
     * Where a request comes from.
     *
     * @param secure whether the client used TLS
     */
    public record Origin(InetAddress address, boolean secure) {}

    /**
     * The client that a trusted proxy names, or else the peer. Proxies append the address of their
     * own peer: from the end of the list, the first one that is not a trusted proxy is the client.
     * What is in front of it the client may have invented.
     */
    public Origin origin(InetAddress peer, boolean secure, HttpHeaders headers) {
        if (blocks.isEmpty() || !isTrusted(peer)) {
            return new Origin(peer, secure);
        }
        InetAddress client = peer;
        List<String> addresses = values(headers, FOR);
        for (int i = addresses.size() - 1; i >= 0 && isTrusted(client); i--) {
            InetAddress next = address(addresses.get(i));
            if (next == null) {
                break;
            }
            client = next;
        }
        List<String> protocols = values(headers, PROTOCOL);
        String protocol = protocols.isEmpty() ? "" : protocols.getLast();
        boolean named = protocol.equalsIgnoreCase("https") || protocol.equalsIgnoreCase("http");
        return new Origin(client, named ? protocol.equalsIgnoreCase("https") : secure);
    }

    private boolean isTrusted(InetAddress address) {
        for (AddressBlock block : blocks) {
            if (block.contains(address)) {
                return true;
            }
        }
        return false;
    }

    private static List<String> values(HttpHeaders headers, String name) {
        return headers.getAll(name).stream()
                .flatMap(field -> Arrays.stream(field.split(",", -1)))
                .map(String::strip)
                .toList();
    }

    /** Without a port, which some proxies append; null if it is not an address. */
    private static @Nullable InetAddress address(String text) {
        String literal = text;
        int bracket = text.indexOf(']');
        if (text.startsWith("[") && bracket > 0) {
            literal = text.substring(1, bracket);
        } else if (text.indexOf(':') == text.lastIndexOf(':') && text.indexOf(':') > 0) {
            literal = text.substring(0, text.indexOf(':'));
        }
        if (literal.indexOf(':') < 0 && !DOTTED.matcher(literal).matches()) {
            return null; // also not 127.1, which some programs read as an address
        }
        try {
            return InetAddress.ofLiteral(literal);
        } catch (IllegalArgumentException none) {
            return null;
        }
    }
}
