package petrichor.kv.cassandra;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreTls;
import petrichor.kv.StoreUrl;

/**
 * Parsed form of {@code
 * cassandra://[user:password@]host[:port][,host…]/keyspace[.space]?timeout=5s}, which also accepts
 * the options of {@link StoreTls}.
 *
 * @param text for errors, without the password
 * @param space distinguishes stores in one keyspace
 * @param timeout longest wait for a response or a connection
 */
record CassandraAddress(
        String text,
        List<InetSocketAddress> contacts,
        Optional<String> user,
        Optional<String> password,
        String keyspace,
        String space,
        Duration timeout,
        Optional<StoreTls> tls) {
    static final int PORT = 9042;
    private static final String NAME = "petrichor";
    private static final String SPACE = "main";
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** Names that Cassandra accepts without quotes. */
    private static final Pattern FORM =
            Pattern.compile("([a-z][a-z0-9_]{0,47})(?:\\.([a-z0-9_]{1,48}))?");

    CassandraAddress {
        contacts = List.copyOf(contacts);
    }

    static CassandraAddress of(StoreUrl url) {
        url.requireOptions(StoreTls.optionsAnd(Set.of("timeout")));
        Matcher name = FORM.matcher(url.name().isEmpty() ? NAME : url.name());
        if (!name.matches()) {
            throw PetrichorException.invalid(
                    "the name in a Cassandra store's address is a keyspace, or keyspace.space, each"
                            + " 1 to 48 of a-z, 0-9 and _, a letter first, not '{url}'",
                    "url",
                    url.name());
        }
        if (url.user().isPresent() && url.password().orElse("").isEmpty()) {
            throw PetrichorException.invalid(
                    "the store {url} has a user but no password; set both or neither", "url", url);
        }
        return new CassandraAddress(
                url.toString(),
                url.nodes().stream()
                        .map(
                                node ->
                                        new InetSocketAddress(
                                                unbracketed(node.host()), node.portOr(PORT)))
                        .toList(),
                url.user(),
                url.password(),
                name.group(1),
                Optional.ofNullable(name.group(2)).orElse(SPACE),
                url.duration("timeout", TIMEOUT),
                StoreTls.of(url));
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }
}
