package petrichor.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.coordination.testkit.Wait;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.MemoryPlugin;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.StorePlugins;

/** Tests commands against a server; each test has its own project. */
final class CommandsTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private static Server server;
    private static int projects;

    @TempDir private Path folder;

    private final String project = "project-" + projects++;

    @BeforeAll
    static void start() {
        server = Server.start(ServerConfig.defaults().withMemory().withPort(0));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void exportAndImportAreByteIdentical() throws Exception {
        importLines(cities(1_500));
        Path first = folder.resolve("first.jsonl");
        Path second = folder.resolve("second.jsonl.gz");
        assertThat(run("export", "-o", first.toString()).code()).isZero();
        assertThat(Files.readAllLines(first)).hasSize(1_500);
        assertThat(run("import", first.toString()).code()).isZero();
        assertThat(run("export", "-o", second.toString()).code()).isZero();
        try (var in = new java.util.zip.GZIPInputStream(Files.newInputStream(second))) {
            assertThat(in.readAllBytes()).isEqualTo(Files.readAllBytes(first));
        }
        assertThat(folder).isDirectoryNotContaining("glob:**.unfinished");
    }

    @Test
    void anExportHasAllNamespacesWithinItsScope() {
        importLines(List.of(line("", "City", "a", 1), line("eu", "City", "b", 2)));
        importLines(List.of(line("eu", "Firm", "c", 3)));
        assertThat(run("export").out().lines()).hasSize(3);
        assertThat(run("export", "--kind", "City").out().lines()).hasSize(2);
        assertThat(run("export", "--namespace", "eu").out().lines()).hasSize(2);
        assertThat(run("export", "--namespace", "eu", "--kind", "Firm").out().lines()).hasSize(1);
    }

    @Test
    void everyDatabaseIsListedAndExportedToAFileOfItsOwn() throws Exception {
        importLines(cities(3));
        assertThat(run("database", "list").out()).contains(project + "  (default)");
        assertThat(run("database", "list", "--json").out().lines())
                .contains("{\"project\":\"" + project + "\",\"database\":\"\"}");
        CommandRun export = run("export", "--all", "-o", folder.resolve("all").toString());
        assertThat(export.code()).isZero();
        Path file = folder.resolve("all").resolve(project + ".(default).jsonl.gz");
        try (var in = new java.util.zip.GZIPInputStream(Files.newInputStream(file))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()).hasSize(3);
        }
        assertThat(run("export", "--all").code()).isEqualTo(2);
    }

    @Test
    void anExportOfNothingWarns() {
        CommandRun unknown = run("export");
        assertThat(unknown.code()).isZero();
        assertThat(unknown.err()).contains("warning: the server has no database " + project);
        importLines(cities(1));
        CommandRun empty = run("export", "--kind", "Nothing");
        assertThat(empty.err()).contains("warning: nothing was exported: " + project);
        assertThat(run("export").err()).doesNotContain("warning");
    }

    @Test
    void aFailedExportReportsItsReason() {
        CommandRun run = run("export", "-o", folder.resolve("none/x.jsonl").toString());
        assertThat(run.code()).isEqualTo(4);
        assertThat(run.err()).contains("cannot write").contains("no such file or folder");
        assertThat(run.err().lines()).hasSize(1);
    }

    @Test
    void commandsConnectToTlsServersWithTrustedCertificates() {
        Path certificate = Path.of("../server/src/test/resources/petrichor/server/certificate.pem");
        FrontEndSettings.Tls files =
                new FrontEndSettings.Tls(certificate, certificate.resolveSibling("key.pem"));
        try (Server secure =
                Server.start(ServerConfig.defaults().withMemory().withPort(0).withTls(files))) {
            String port = "" + secure.port();
            for (List<String> command :
                    List.of(List.of("gql", "SELECT * FROM City"), List.of("index", "list"))) {
                List<String> trusting = new java.util.ArrayList<>(command);
                trusting.addAll(List.of("--port", port, "--tls-trust", certificate.toString()));
                assertThat(CommandRun.of(trusting.toArray(String[]::new)).code()).isZero();
                List<String> wary = new java.util.ArrayList<>(command);
                wary.addAll(List.of("--port", port, "--tls"));
                assertThat(CommandRun.of(wary.toArray(String[]::new)).code()).isEqualTo(5);
            }
        }
    }

    @Test
    void anEmptyDatabaseIsAnEmptyExport() {
        CommandRun run = run("export");
        assertThat(run.code()).isZero();
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("exported 0 entities");
    }

    @Test
    void aBadLineEndsTheImportAndReportsWhereToContinue() throws Exception {
        List<String> lines = new java.util.ArrayList<>(cities(1_200));
        lines.set(700, "{\"key\": nonsense");
        Path file = Files.write(folder.resolve("cities.jsonl"), lines);
        CommandRun stopped = run("import", file.toString(), "--json");
        assertThat(stopped.code()).isEqualTo(1);
        assertThat(stopped.err()).contains("cities.jsonl:701:").contains("--from 701");
        assertThat(stopped.out()).contains("\"entities\":700").contains("\"from\":701");
        assertThat(count()).isEqualTo(700);

        lines.set(700, line("", "City", "mended", 1));
        Files.write(file, lines);
        assertThat(run("import", file.toString(), "--from", "701").code()).isZero();
        assertThat(count()).isEqualTo(1_200);
    }

    @Test
    void badLinesCanBeSkippedWithoutOtherLosses() throws Exception {
        List<String> lines = new java.util.ArrayList<>(cities(50));
        lines.set(10, "first bad");
        lines.set(20, "{}");
        Path file = Files.write(folder.resolve("cities.jsonl"), lines);
        Path aside = folder.resolve("aside.jsonl");
        CommandRun run = run("import", file.toString(), "--bad-lines", aside.toString());
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("cities.jsonl:11:").contains("cities.jsonl:21:");
        assertThat(aside).hasContent("first bad\n{}\n");
        assertThat(count()).isEqualTo(48);
    }

    @Test
    void ofTwoLinesWithTheSameKeyTheLaterOneStays() {
        List<String> lines = new java.util.ArrayList<>(cities(2_000));
        for (int value = 0; value < 5; value++) {
            lines.add(value * 300, line("", "City", "twice", value));
        }
        importLines(lines);
        assertThat(run("gql", "SELECT * FROM City WHERE __key__ = KEY(City, 'twice')").out())
                .contains("City:\"twice\"  4");
    }

    @Test
    void aDryRunWritesNothing() {
        CommandRun run = CommandRun.withInput(text(cities(5)), with("import", "-", "--dry-run"));
        assertThat(run.code()).isZero();
        assertThat(run.err()).contains("5 entities could be imported");
        assertThat(count()).isZero();
    }

    @Test
    void anEntityThatTheServerRefusesIsNamed() {
        String tooLong =
                line("", "City", "long", 1)
                        .replace(
                                "\"1\"",
                                "\"1\"}, \"t\": {\"stringValue\": \"" + "x".repeat(1_600) + "\"");
        CommandRun run = CommandRun.withInput(tooLong, with("import", "-"));
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("standard input:1:").contains("1500");
    }

    @Test
    void gqlShowsATableOrJson() {
        importLines(cities(3));
        CommandRun table =
                run("gql", "SELECT * FROM City WHERE n >= @from ORDER BY n", "--bind", "from=1");
        assertThat(table.out())
                .isEqualTo("__key__       n\nCity:\"c0001\"  1\nCity:\"c0002\"  2\n");
        assertThat(table.err()).contains("2 results");
        CommandRun json =
                run("gql", "SELECT __key__ FROM City WHERE n = @1", "--bind", "1=2", "--json");
        assertThat(json.out().lines())
                .singleElement()
                .asString()
                .satisfies(
                        line ->
                                assertThat(
                                                JsonParser.parseString(line)
                                                        .getAsJsonObject()
                                                        .has("key"))
                                        .isTrue())
                .contains("c0002");
    }

    @Test
    void gqlReadsAllPagesAndStopsAtTheLimit() {
        importLines(cities(1_300));
        assertThat(run("gql", "SELECT * FROM City", "--output", "json").out().lines())
                .hasSize(1_300);
        assertThat(
                        run("gql", "SELECT * FROM City LIMIT 1100 OFFSET 100", "--output", "json")
                                .out()
                                .lines())
                .hasSize(1_100);
    }

    @Test
    void gqlAggregates() {
        importLines(cities(10));
        assertThat(run("gql", "SELECT COUNT(*) AS many, SUM(n) AS sum FROM City").out())
                .isEqualTo("many  sum\n10    45\n");
    }

    @Test
    void gqlExplains() {
        importLines(cities(10));
        CommandRun run = run("gql", "SELECT * FROM City WHERE n < 3", "--explain");
        assertThat(run.err()).contains("index  ").contains("\"resultsReturned\":\"3\"");
    }

    @Test
    void anInvalidQueryFailsWithItsPosition() {
        CommandRun run = run("gql", "SELECT * FRM City");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("column 10").contains("did you mean FROM?");
    }

    @Test
    void aKindThatNoEntityHasIsPointedOut() {
        importLines(List.of(line("", "City", "a", 1), line("", "Firm", "b", 2)));
        CommandRun near = run("gql", "SELECT * FROM Ctiy");
        assertThat(near.code()).isZero();
        assertThat(near.err()).contains("0 results").contains("did you mean City?");
        assertThat(run("gql", "SELECT * FROM Unicorn").err()).contains("its kinds are City, Firm");
        assertThat(run("gql", "SELECT * FROM City WHERE n > 7").err())
                .contains("0 results")
                .doesNotContain("kind");
        assertThat(run("gql", "SELECT * FROM Ctiy", "--quiet").err()).isEmpty();
        assertThat(run("gql", "SELECT * FROM City", "--namespace", "eu").err())
                .contains("namespace eu; it is empty");
    }

    @Test
    void tlsMismatchIsExplained() {
        CommandRun run = run("gql", "SELECT * FROM City", "--tls");
        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err()).contains("the server does not use TLS; omit --tls");
        assertThat(run.err()).doesNotContainPattern("[0-9a-f]{40}");
        Path certificate = Path.of("../server/src/test/resources/petrichor/server/certificate.pem");
        FrontEndSettings.Tls files =
                new FrontEndSettings.Tls(certificate, certificate.resolveSibling("key.pem"));
        try (Server secure =
                Server.start(ServerConfig.defaults().withMemory().withPort(0).withTls(files))) {
            CommandRun plain =
                    CommandRun.of("gql", "SELECT * FROM City", "--port", "" + secure.port());
            assertThat(plain.code()).isEqualTo(5);
            assertThat(plain.err()).contains("a server that requires TLS").contains("--tls");
            assertThat(plain.err().lines()).as(plain.err()).hasSize(1);
        }
    }

    @Test
    void aServerWhoseStoreIsAwayIsNotReportedAsMissing() throws Exception {
        MemoryPlugin.install(folder.resolve("plugins"));
        System.setProperty(StorePlugins.FOLDER_PROPERTY, folder.resolve("plugins").toString());
        int port = freePort();
        int away = freePort();
        ServerConfig config =
                ServerConfig.defaults()
                        .withPort(port)
                        .withStoreUrl(StoreUrl.parse("memory://127.0.0.1:" + away + "/away"));
        CompletableFuture<Server> start = CompletableFuture.supplyAsync(() -> Server.start(config));
        try {
            Wait.until("the starting server listens", LONG, () -> listens(port) || start.isDone());
            CommandRun run = CommandRun.of("gql", "SELECT * FROM City", "--port", "" + port);
            assertThat(run.code()).isEqualTo(5);
            assertThat(run.err())
                    .contains("the server at localhost:" + port + " cannot serve this now: ")
                    .contains("the store memory://127.0.0.1:" + away + "/away does not answer")
                    .doesNotContain("is a server running there?");
        } finally {
            try (ServerSocket _ = new ServerSocket(away, 1, InetAddress.getLoopbackAddress())) {
                start.get(1, TimeUnit.MINUTES).close();
            }
            System.clearProperty(StorePlugins.FOLDER_PROPERTY);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket("localhost", port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    @Test
    void aMissingTokenIsReportedWithTheOptionThatTakesIt() {
        try (Server closed =
                Server.start(
                        ServerConfig.defaults().withMemory().withPort(0).withToken("s3cr3t"))) {
            String port = "" + closed.port();
            CommandRun none = CommandRun.of("gql", "SELECT * FROM City", "--port", port);
            assertThat(none.code()).isEqualTo(1);
            assertThat(none.err()).contains("--token or PETRICHOR_TOKEN");
            CommandRun wrong =
                    CommandRun.of("gql", "SELECT * FROM City", "--port", port, "--token", "wr0ng");
            assertThat(wrong.err()).contains("--token or PETRICHOR_TOKEN").doesNotContain("wr0ng");
            CommandRun right =
                    CommandRun.of("gql", "SELECT * FROM City", "--port", port, "--token", "s3cr3t");
            assertThat(right.code()).as(right.err()).isZero();
        }
    }

    @Test
    void indexesAreListedOnceAQueryNeededThem() {
        importLines(cities(10));
        assertThat(run("index", "list").err()).contains("no composite indexes");
        assertThat(run("gql", "SELECT * FROM City WHERE n > 2 ORDER BY n DESC, m").code()).isZero();
        assertThat(run("index", "list").out())
                .contains("City")
                .contains("n desc, m")
                .contains("ready");
        assertThat(run("index", "list", "--output", "yaml").out())
                .startsWith("indexes:\n- kind: City\n")
                .contains("direction: desc");
    }

    private CommandRun run(String... arguments) {
        return CommandRun.of(with(arguments));
    }

    private String[] with(String... arguments) {
        return java.util.stream.Stream.concat(
                        java.util.Arrays.stream(arguments),
                        java.util.stream.Stream.of(
                                "--port",
                                "" + server.port(),
                                "--host",
                                "localhost",
                                "--project",
                                project))
                .toArray(String[]::new);
    }

    private void importLines(List<String> lines) {
        CommandRun run = CommandRun.withInput(text(lines), with("import", "-"));
        assertThat(run.code()).as(run.err()).isZero();
    }

    private long count() {
        return run("export").out().lines().count();
    }

    private static String text(List<String> lines) {
        return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    private static List<String> cities(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> line("", "City", String.format("c%04d", i), i))
                .toList();
    }

    private static String line(String namespace, String kind, String name, long value) {
        return new String(
                String.format(
                                "{\"key\": {\"partitionId\": {\"projectId\": \"other\","
                                        + " \"namespaceId\": \"%s\"}, \"path\": [{\"kind\": \"%s\","
                                        + " \"name\": \"%s\"}]}, \"properties\": {\"n\":"
                                        + " {\"integerValue\": \"%d\"}}}",
                                namespace, kind, name, value)
                        .getBytes(StandardCharsets.UTF_8),
                StandardCharsets.UTF_8);
    }
}
