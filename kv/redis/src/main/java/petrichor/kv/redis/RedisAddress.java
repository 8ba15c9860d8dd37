package petrichor.kv.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreTls;
import petrichor.kv.StoreUrl;

/**
 * Parsed form of {@code redis://[user][:password]@host[:port]/name?timeout=5s&database=0}, which
 * also accepts the options of {@link StoreTls}.
 *
 * @param text for errors, without the password
 * @param session what each connection begins with
 * @param timeout longest wait for a response or a connection
 */
record RedisAddress(
        String text,
        RedisURI server,
        Session session,
        Keyspace keyspace,
        Duration timeout,
        Optional<StoreTls> tls) {
    static final int PORT = 6379;
    private static final String NAME = "petrichor";
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The maximum that Redis can be configured for. */
    private static final int DATABASES_MAX = 1_000_000;

    /**
     * The login and the database of a connection.
     *
     * @param password null without a login
     */
    record Session(String user, @Nullable String password, int database) {
        /** Without the password. */
        @Override
        public String toString() {
            return user + "@" + database;
        }
    }

    static RedisAddress of(StoreUrl url) {
        url.requireOptions(StoreTls.optionsAnd(Set.of("timeout", "database")));
        Optional<StoreTls> tls = StoreTls.of(url);
        if (url.nodes().size() > 1) {
            throw PetrichorException.invalid(
                    "a Redis store is one server; name one host, not {nodesCount}",
                    "nodesCount",
                    url.nodes().size());
        }
        StoreUrl.Node node = url.nodes().getFirst();
        Duration timeout = url.duration("timeout", TIMEOUT);
        RedisURI.Builder server =
                RedisURI.builder()
                        .withHost(unbracketed(node.host()))
                        .withPort(node.portOr(PORT))
                        .withTimeout(timeout);
        Session session =
                new Session(
                        url.user().filter(user -> !user.isEmpty()).orElse("default"),
                        url.password().orElse(null),
                        database(url.option("database", "0")));
        tls.ifPresent(
                by ->
                        server.withSsl(true)
                                .withVerifyPeer(
                                        by.verifyHost() ? SslVerifyMode.FULL : SslVerifyMode.CA));
        Keyspace keyspace = new Keyspace(url.name().isEmpty() ? NAME : url.name());
        return new RedisAddress(url.toString(), server.build(), session, keyspace, timeout, tls);
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private static int database(String text) {
        try {
            int database = Integer.parseInt(text);
            if (database >= 0 && database < DATABASES_MAX) {
                return database;
            }
        } catch (NumberFormatException none) {
            // Refused below, like a negative number.
        }
        throw PetrichorException.invalid(
                "the option 'database' of a Redis store's address is a number from 0, not '{text}'",
                "text",
                text);
    }
}
