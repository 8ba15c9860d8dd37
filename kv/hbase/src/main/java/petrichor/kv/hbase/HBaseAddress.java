package petrichor.kv.hbase;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreTls;
import petrichor.kv.StoreUrl;

/**
 * A parsed HBase address, and the driver settings derived from it.
 *
 * @param name of the store in errors
 * @param servers masters or region servers, {@code host:port}; any that responds leads to the
 *     others
 * @param namespace HBase namespace of the store's tables
 * @param timeout longest wait for one request, including all its attempts
 * @param zookeeper {@code host:port[,host:port]/znode}, for clusters whose servers should not be
 *     listed
 * @param user the claimed user name; HBase trusts it unless it uses Kerberos
 */
record HBaseAddress(
        String name,
        List<String> servers,
        String namespace,
        Duration timeout,
        Optional<String> zookeeper,
        Optional<String> user,
        Optional<StoreTls> tls) {
    static final String SCHEME = "hbase";

    /** Where a region server listens by default. */
    private static final int USUAL_PORT = 16020;

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The first pause between two attempts, in milliseconds; later ones grow up to 200 times. */
    private static final int PAUSE_MS = 5;

    /** More than fit into any timeout: time limits the attempts, not their number. */
    private static final int ATTEMPTS_MAX = 10_000;

    /** After a refused connection the driver does not even try for this long. */
    private static final int REFUSED_MS = 200;

    private static final Pattern NAMESPACE = Pattern.compile("[a-zA-Z0-9_]+");
    private static final Pattern ZOOKEEPER = Pattern.compile("([^/]+)(/.+)");

    HBaseAddress {
        servers = List.copyOf(servers);
    }

    static HBaseAddress of(StoreUrl url) {
        url.requireOptions(StoreTls.optionsAnd(Set.of("timeout", "zookeeper")));
        String namespace = url.name().isEmpty() ? "petrichor" : url.name();
        if (!NAMESPACE.matcher(namespace).matches() || namespace.equals("hbase")) {
            throw PetrichorException.invalid(
                    "'{namespace}' cannot be the namespace of {url}: use letters, digits and _, and"
                            + " not 'hbase', which is HBase's own",
                    "namespace",
                    namespace,
                    "url",
                    url);
        }
        if (url.password().isPresent()) {
            throw PetrichorException.invalid(
                    "HBase does not use passwords: remove the password from {url}", "url", url);
        }
        Optional<String> zookeeper = Optional.ofNullable(url.options().get("zookeeper"));
        if (zookeeper.isPresent() && !ZOOKEEPER.matcher(zookeeper.get()).matches()) {
            throw PetrichorException.invalid(
                    "the option 'zookeeper' of {url} is host:port/znode, such as zk1:2181/hbase,"
                            + " not '{zookeeper}'",
                    "url",
                    url,
                    "zookeeper",
                    zookeeper.get());
        }
        return new HBaseAddress(
                url.toString(),
                url.nodes().stream()
                        .map(node -> node.host() + ":" + node.portOr(USUAL_PORT))
                        .toList(),
                namespace,
                url.duration("timeout", TIMEOUT),
                zookeeper,
                url.user(),
                tls(url));
    }

    /** HBase's client reads key and certificate from one file. */
    private static Optional<StoreTls> tls(StoreUrl url) {
        Optional<StoreTls> tls = StoreTls.of(url);
        if (tls.isPresent() && !tls.get().certificate().equals(tls.get().key())) {
            throw PetrichorException.invalid(
                    "tls-certificate and tls-key of {url} must name one file with the key and the"
                            + " certificate: HBase's client reads both from one",
                    "url",
                    url);
        }
        return tls;
    }

    /** The driver would retry a failing handshake until the timeout. */
    void checkTls() {
        for (String server : servers) {
            int colon = server.lastIndexOf(':');
            String host = server.substring(0, colon);
            int port = Integer.parseInt(server.substring(colon + 1));
            if (tls.isEmpty() || tls.get().check(name, host, port, timeout)) {
                return;
            }
        }
    }

    private static void encrypt(Configuration driver, StoreTls tls) {
        driver.setBoolean("hbase.client.netty.tls.enabled", true);
        driver.setBoolean("hbase.client.netty.tls.verify.server.hostname", tls.verifyHost());
        driver.setBoolean("hbase.rpc.tls.host-verification.reverse-dns.enabled", false);
        tls.trust()
                .ifPresent(
                        file -> {
                            driver.set("hbase.rpc.tls.truststore.location", file.toString());
                            driver.set("hbase.rpc.tls.truststore.type", "PEM");
                        });
        tls.certificate()
                .ifPresent(
                        file -> {
                            driver.set("hbase.rpc.tls.keystore.location", file.toString());
                            driver.set("hbase.rpc.tls.keystore.type", "PEM");
                        });
    }

    /** HBase retries for minutes by default; this driver stops after {@link #timeout}. */
    CountedRpcClient.Settings configuration() {
        int timeoutMs = Math.toIntExact(timeout.toMillis());
        CountedRpcClient.Settings driver = new CountedRpcClient.Settings();
        if (zookeeper.isPresent()) {
            var parts = ZOOKEEPER.matcher(zookeeper.get());
            if (parts.matches()) {
                driver.set(
                        "hbase.client.registry.impl",
                        "org.apache.hadoop.hbase.client.ZKConnectionRegistry");
                driver.set("hbase.zookeeper.quorum", parts.group(1));
                driver.set("zookeeper.znode.parent", parts.group(2));
                driver.setInt("zookeeper.recovery.retry", 1);
                driver.setInt("zookeeper.session.timeout", Math.max(timeoutMs, 10_000));
            }
        } else {
            driver.set(
                    "hbase.client.registry.impl",
                    "org.apache.hadoop.hbase.client.RpcConnectionRegistry");
            driver.set("hbase.client.bootstrap.servers", String.join(",", servers));
        }
        tls.ifPresent(by -> encrypt(driver, by));
        for (String limit :
                List.of(
                        "hbase.client.operation.timeout",
                        "hbase.client.meta.operation.timeout",
                        "hbase.client.scanner.timeout.period",
                        "hbase.client.meta.scanner.timeout.period",
                        "hbase.rpc.timeout",
                        "hbase.rpc.read.timeout",
                        "hbase.rpc.write.timeout",
                        "hbase.client.meta.rpc.timeout",
                        "hbase.ipc.client.socket.timeout.connect")) {
            driver.setInt(limit, timeoutMs);
        }
        driver.setInt("hbase.client.retries.number", ATTEMPTS_MAX);
        driver.setInt("hbase.client.pause", PAUSE_MS);
        driver.setInt("hbase.ipc.client.failed.servers.expiry", REFUSED_MS);
        driver.setInt("hbase.client.start.log.errors.counter", ATTEMPTS_MAX);
        // Our own limit applies: it is checked before anything is written.
        driver.setInt("hbase.client.keyvalue.maxsize", 0);
        return driver;
    }
}
