package petrichor.kv.hbase;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import petrichor.base.PetrichorException;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.StoreUrl;

/**
 * Deploys HBase in one process: its master, a region server and its ZooKeeper, on local files. Data
 * that a region server syncs is on disk: the files are opened without Hadoop's checksum layer,
 * which would swallow the sync (500 puts resulted in 500 fsync calls, and in none with that layer).
 */
public final class HBaseDeployment implements StoreDeployment {
    private static final String VERSION = "2.6.4-hadoop3";

    /** HBase ships with 3.4.2, which uses an API removed from JDK 25 (HADOOP-19212). */
    private static final String HADOOP_VERSION = "3.4.3";

    private static final List<String> HADOOP =
            List.of(
                    "common",
                    "auth",
                    "annotations",
                    "hdfs",
                    "hdfs-client",
                    "mapreduce-client-core",
                    "distcp",
                    "yarn-api",
                    "yarn-client",
                    "yarn-common");

    private static final List<String> OPENED_PACKAGES =
            List.of(
                    "java.base/java.lang",
                    "java.base/java.lang.reflect",
                    "java.base/java.io",
                    "java.base/java.nio",
                    "java.base/java.util",
                    "java.base/java.util.concurrent",
                    "java.base/java.net",
                    "java.base/java.text",
                    "java.base/sun.nio.ch",
                    "java.base/jdk.internal.ref",
                    "java.base/jdk.internal.misc",
                    "java.security.jgss/sun.security.krb5");

    private static final int HEAP_MB = 512;
    private static final Duration PROBE_TIME_MAX = Duration.ofSeconds(2);

    private static final String LOGGING =
            """
            log4j.rootLogger=INFO,console
            log4j.appender.console=org.apache.log4j.ConsoleAppender
            log4j.appender.console.layout=org.apache.log4j.PatternLayout
            log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
            log4j.logger.org.apache.zookeeper=WARN
            log4j.logger.org.apache.hadoop=WARN
            log4j.logger.org.apache.hadoop.hbase.master=INFO
            """;

    @Override
    public String store() {
        return HBaseAddress.SCHEME;
    }

    @Override
    public String version() {
        return VERSION;
    }

    @Override
    public int nodesMax() {
        return 1;
    }

    @Override
    public List<Dependency> supplies() {
        Map<String, String> managed = new LinkedHashMap<>();
        HADOOP.forEach(part -> managed.put("org.apache.hadoop:hadoop-" + part, HADOOP_VERSION));
        return List.of(
                new Dependency.Jars(
                        "hbase",
                        List.of(
                                "org.apache.hbase:hbase-server:" + VERSION,
                                "org.apache.hbase:hbase-zookeeper:" + VERSION),
                        managed,
                        List.of()),
                new Dependency.Java("java", List.of(25, 21, 17)));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of("regionserver", 16020, "master", 16000, "zookeeper", 2181);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        Path folder = node.folder();
        List<String> command = new ArrayList<>();
        command.add(node.supply("java").resolve("bin/java").toString());
        command.addAll(List.of("-Xmx" + HEAP_MB + "m", "-XX:+UseSerialGC"));
        OPENED_PACKAGES.stream()
                .flatMap(opened -> Stream.of("--add-opens", opened + "=ALL-UNNAMED"))
                .forEach(command::add);
        command.addAll(
                List.of(
                        "--add-exports",
                        "java.base/jdk.internal.misc=ALL-UNNAMED",
                        "-Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true",
                        "-Djava.net.preferIPv4Stack=true",
                        "-cp",
                        folder.resolve("conf") + ":" + node.supply("hbase") + "/*",
                        "org.apache.hadoop.hbase.master.HMaster",
                        "start"));
        return new NodeRecipe(
                Map.of("conf/hbase-site.xml", site(node), "conf/log4j.properties", LOGGING),
                List.of(),
                command,
                Map.of(),
                false);
    }

    private static String site(Node node) {
        Path folder = node.folder();
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("hbase.cluster.distributed", false);
        settings.put("hbase.rootdir", folder.resolve("data").toUri());
        settings.put("hbase.tmp.dir", folder.resolve("tmp"));
        settings.put("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
        settings.put("hbase.wal.provider", "filesystem");
        settings.put("hbase.wal.hsync", true);
        settings.put("hbase.zookeeper.quorum", node.address());
        settings.put("hbase.zookeeper.property.dataDir", folder.resolve("zookeeper"));
        settings.put("hbase.zookeeper.property.clientPort", node.port("zookeeper"));
        settings.put("hbase.localcluster.assign.random.ports", false);
        for (String role : List.of("master", "regionserver")) {
            settings.put("hbase." + role + ".port", node.port(role));
            settings.put("hbase." + role + ".ipc.address", node.address());
            settings.put("hbase." + role + ".hostname", node.address());
            settings.put("hbase." + role + ".info.port", -1);
        }
        // How long the master collects regions before it opens them: 150 ms per new table.
        settings.put("hbase.procedure.remote.dispatcher.delay.msec", 10);
        StringBuilder xml = new StringBuilder("<configuration>\n");
        settings.forEach(
                (name, value) ->
                        xml.append("<property><name>")
                                .append(name)
                                .append("</name><value>")
                                .append(escaped(value.toString()))
                                .append("</value></property>\n"));
        return xml.append("</configuration>\n").toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    /** The master has found its tables, which is its last step. */
    @Override
    public boolean serves(Cluster cluster, Node node) {
        int port = node.port("regionserver");
        try (Socket probe = new Socket()) {
            probe.connect(
                    new InetSocketAddress(node.address(), port), (int) PROBE_TIME_MAX.toMillis());
        } catch (IOException closed) {
            return false;
        }
        String url = address(node) + "?timeout=" + PROBE_TIME_MAX.toMillis() + "ms";
        try (HBaseConnection connection =
                HBaseConnection.open(HBaseAddress.of(StoreUrl.parse(url)))) {
            return connection.await(connection.admin().listNamespaces(), null).contains("default");
        } catch (PetrichorException notYet) {
            return false;
        }
    }

    @Override
    public String url(Cluster cluster) {
        return address(cluster.first());
    }

    private static String address(Node node) {
        return HBaseAddress.SCHEME
                + "://"
                + node.address()
                + ":"
                + node.port("regionserver")
                + "/petrichor";
    }
}
