package petrichor.coordination.zookeeper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.apache.zookeeper.client.ZKClientConfig;
import petrichor.base.FileProblem;
import petrichor.kv.StoreTls;

/** Converts TLS options of an address to settings of ZooKeeper's client. */
final class ZooKeeperTls {
    private static final Duration HANDSHAKE_MAX = Duration.ofSeconds(2);

    /** Java's default trust store; without a file, the client would not verify host names. */
    private static final Path JAVA_TRUSTS =
            Path.of(System.getProperty("java.home"), "lib", "security", "cacerts");

    private static final String JAVA_PASSWORD = "changeit";
    private static final String PEM = "PEM";
    private static final Pattern NUMERIC = Pattern.compile("[\\d.]+|\\[.*]");

    private ZooKeeperTls() {}

    /**
     * The client would report a failed handshake as a server that does not respond, so one server
     * is tested first.
     *
     * @param servers host:port, separated by commas
     */
    static ZKClientConfig of(StoreTls tls, String servers) {
        for (String server : servers.split(",", -1)) {
            if (shakesHands(tls, server)) {
                break;
            }
        }
        ZKClientConfig settings = new ZKClientConfig();
        settings.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
        settings.setProperty(
                ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET,
                "org.apache.zookeeper.ClientCnxnSocketNetty");
        settings.setProperty(
                "zookeeper.ssl.hostnameVerification", String.valueOf(tls.verifyHost()));
        if (Arrays.stream(servers.split(",", -1)).allMatch(ZooKeeperTls::isNumeric)) {
            // In this mode the client would compare the name that it looks up for the address.
            settings.setProperty("zookeeper.fips-mode", "false");
        }
        if (tls.trust().isPresent()) {
            settings.setProperty("zookeeper.ssl.trustStore.location", tls.trust().get().toString());
            settings.setProperty("zookeeper.ssl.trustStore.type", PEM);
        } else {
            settings.setProperty("zookeeper.ssl.trustStore.location", JAVA_TRUSTS.toString());
            settings.setProperty("zookeeper.ssl.trustStore.password", JAVA_PASSWORD);
            settings.setProperty("zookeeper.ssl.trustStore.type", "JKS");
        }
        if (tls.certificate().isPresent() && tls.key().isPresent()) {
            settings.setProperty(
                    "zookeeper.ssl.keyStore.location",
                    together(tls.key().get(), tls.certificate().get()).toString());
            settings.setProperty("zookeeper.ssl.keyStore.type", PEM);
        }
        return settings;
    }

    private static boolean isNumeric(String server) {
        return NUMERIC.matcher(server.substring(0, server.lastIndexOf(':'))).matches();
    }

    private static boolean shakesHands(StoreTls tls, String server) {
        int colon = server.lastIndexOf(':');
        return tls.check(
                "ZooKeeper at " + server,
                server.substring(0, colon),
                Integer.parseInt(server.substring(colon + 1)),
                HANDSHAKE_MAX);
    }

    /**
     * The client reads key and certificates from one file, again for each connection: creates a
     * copy that only this user can read, until the process ends.
     */
    private static Path together(Path key, Path certificate) {
        if (key.equals(certificate)) {
            return key;
        }
        try {
            Path both =
                    Files.createTempFile(
                            "petrichor-zookeeper-",
                            ".pem",
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
            both.toFile().deleteOnExit();
            return Files.writeString(
                    both, Files.readString(key) + "\n" + Files.readString(certificate));
        } catch (IOException failed) {
            throw FileProblem.of("cannot combine " + key + " and " + certificate, failed);
        }
    }
}
