package petrichor.kv.mongodb;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCredential;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import com.mongodb.connection.ClusterConnectionMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreTls;
import petrichor.kv.StoreUrl;

/**
 * Parsed form of {@code mongodb://user:password@host[:port]/database?timeout=5s&auth-source=admin},
 * which also accepts the options of {@link StoreTls}. There are no options for weaker reads or
 * writes.
 *
 * @param text for errors, without the password
 * @param onlyServer whether the address declares that no other Petrichor server uses a FerretDB
 */
record MongoAddress(
        String text,
        MongoClientSettings settings,
        String database,
        Duration timeout,
        boolean onlyServer,
        Optional<StoreTls> tls) {
    static final int PORT = 27017;

    /** The option that FerretDB requires, and its only value. */
    static final String FERRETDB = "ferretdb";

    static final String ONE_SERVER = "one-server";

    private static final String NAME = "petrichor";
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Pattern DATABASE = Pattern.compile("[A-Za-z0-9_-]{1,63}");

    static MongoAddress of(StoreUrl url) {
        url.requireOptions(StoreTls.optionsAnd(Set.of("timeout", "auth-source", FERRETDB)));
        if (url.nodes().size() > 1) {
            throw PetrichorException.invalid(
                    "a MongoDB store is one server; name one host, not {nodesCount}",
                    "nodesCount",
                    url.nodes().size());
        }
        String database = url.name().isEmpty() ? NAME : url.name();
        if (!DATABASE.matcher(database).matches()) {
            throw PetrichorException.invalid(
                    "the name in a MongoDB store's address is a database: use 1 to 63 letters,"
                            + " digits, _ and -, not '{database}'",
                    "database",
                    database);
        }
        String ferretdb = url.option(FERRETDB, "");
        if (!ferretdb.isEmpty() && !ferretdb.equals(ONE_SERVER)) {
            throw PetrichorException.invalid(
                    "the option '" + FERRETDB + "' of a store's address can only be " + ONE_SERVER);
        }
        Duration timeout = url.duration("timeout", TIMEOUT);
        return new MongoAddress(
                url.toString(),
                settings(url, timeout),
                database,
                timeout,
                ferretdb.equals(ONE_SERVER),
                StoreTls.of(url));
    }

    /** The driver would keep waiting for a server whose certificate it does not accept. */
    void checkTls() {
        ServerAddress server = settings.getClusterSettings().getHosts().getFirst();
        tls.ifPresent(by -> requireAnswer(by, server));
    }

    private void requireAnswer(StoreTls by, ServerAddress server) {
        boolean _ = by.check(text, server.getHost(), server.getPort(), timeout);
    }

    private static MongoClientSettings settings(StoreUrl url, Duration timeout) {
        StoreUrl.Node node = url.nodes().getFirst();
        int timeoutMs = Math.toIntExact(timeout.toMillis());
        MongoClientSettings.Builder settings =
                MongoClientSettings.builder()
                        .applicationName("petrichor")
                        // Only the caller knows whether a write may be retried.
                        .retryWrites(false)
                        .retryReads(true)
                        .readConcern(ReadConcern.MAJORITY)
                        .readPreference(ReadPreference.primary())
                        .writeConcern(WriteConcern.MAJORITY.withJournal(true))
                        .applyToClusterSettings(
                                cluster ->
                                        cluster.hosts(
                                                        List.of(
                                                                new ServerAddress(
                                                                        node.host(),
                                                                        node.portOr(PORT))))
                                                .mode(ClusterConnectionMode.SINGLE)
                                                .serverSelectionTimeout(
                                                        timeoutMs, TimeUnit.MILLISECONDS))
                        .applyToConnectionPoolSettings(
                                pool -> pool.maxWaitTime(timeoutMs, TimeUnit.MILLISECONDS))
                        .applyToSocketSettings(
                                socket ->
                                        socket.connectTimeout(timeoutMs, TimeUnit.MILLISECONDS)
                                                .readTimeout(timeoutMs, TimeUnit.MILLISECONDS));
        if (url.user().isPresent() && url.password().isPresent()) {
            settings.credential(
                    MongoCredential.createCredential(
                            url.user().get(),
                            url.option("auth-source", "admin"),
                            url.password().get().toCharArray()));
        }
        StoreTls.of(url)
                .ifPresent(
                        tls ->
                                settings.applyToSslSettings(
                                        encryption ->
                                                encryption
                                                        .enabled(true)
                                                        .invalidHostNameAllowed(!tls.verifyHost())
                                                        .context(tls.context())));
        return settings.build();
    }
}
