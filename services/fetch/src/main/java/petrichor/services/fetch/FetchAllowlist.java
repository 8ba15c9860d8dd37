package petrichor.services.fetch;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import petrichor.base.AddressBlock;
import petrichor.base.PetrichorException;

/**
 * Servers that apps may reach although their addresses are not public: the setting {@code
 * fetch.allow}. An entry is a host name ({@code intranet.example}), a domain ({@code
 * *.intranet.example}), an address or a block ({@code 10.1.0.0/16}, {@code [fd00::]/8}), each
 * optionally followed by {@code :PORT}. Immutable.
 */
public final class FetchAllowlist {
    public static final FetchAllowlist NONE = new FetchAllowlist(List.of());

    private final List<Entry> entries;

    private FetchAllowlist(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    private sealed interface Entry {
        OptionalInt port();

        record Name(String name, OptionalInt port) implements Entry {}

        record Block(AddressBlock block, OptionalInt port) implements Entry {}
    }

    /** INVALID_ARGUMENT names the entry that is neither a host nor an address. */
    public static FetchAllowlist parse(List<String> texts) {
        List<Entry> entries = new ArrayList<>();
        for (String text : texts) {
            String entry = text.strip().toLowerCase(Locale.ROOT);
            if (!entry.isEmpty()) {
                entries.add(parse(entry));
            }
        }
        return new FetchAllowlist(entries);
    }

    private static Entry parse(String text) {
        String host = text;
        OptionalInt port = OptionalInt.empty();
        int colon = text.lastIndexOf(':');
        boolean bracketed = text.startsWith("[");
        boolean plainV6 = !bracketed && colon >= 0 && text.indexOf(':') != colon;
        if (colon > text.indexOf(']') && !plainV6) {
            host = text.substring(0, colon);
            port = OptionalInt.of(port(text.substring(colon + 1), text));
        }
        if (AddressBlock.looksLikeOne(host)) {
            return new Entry.Block(
                    AddressBlock.parse(host.replace("[", "").replace("]", "")), port);
        }
        if (!host.matches("(\\*\\.)?[a-z0-9_-]+(\\.[a-z0-9_-]+)*")) {
            throw invalid(text);
        }
        return new Entry.Name(host, port);
    }

    private static int port(String digits, String text) {
        try {
            int port = Integer.parseInt(digits);
            if (port >= 1 && port <= 0xFFFF) {
                return port;
            }
        } catch (NumberFormatException _) {
            // Reported below.
        }
        throw invalid(text);
    }

    private static PetrichorException invalid(String text) {
        return PetrichorException.invalid(
                "{entry} in fetch.allow is not HOST, *.DOMAIN, ADDRESS or ADDRESS/BITS, with or"
                        + " without :PORT",
                "entry",
                text);
    }

    /**
     * @param host as in the URL, in lower case
     * @param address that the host has now
     */
    boolean permits(String host, InetAddress address, int port) {
        return entries.stream()
                .filter(entry -> entry.port().isEmpty() || entry.port().getAsInt() == port)
                .anyMatch(
                        entry ->
                                switch (entry) {
                                    case Entry.Name(String name, OptionalInt _) ->
                                            names(name, host);
                                    case Entry.Block(AddressBlock block, OptionalInt _) ->
                                            block.contains(address);
                                });
    }

    /** Whether an entry names this port: otherwise no server can be permitted on it. */
    boolean namesPort(int port) {
        return entries.stream()
                .anyMatch(entry -> entry.port().isPresent() && entry.port().getAsInt() == port);
    }

    private static boolean names(String entry, String host) {
        return entry.startsWith("*.") ? host.endsWith(entry.substring(1)) : host.equals(entry);
    }
}
