package petrichor.cli.apps;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandRun;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

/** The commands of deployed apps and of their users, against a server in this process. */
class AppCommandTest {
    private static final String MAIN =
            """
            import http.server, os
            print("hello from", os.environ["GAE_VERSION"], flush=True)
            http.server.test(http.server.SimpleHTTPRequestHandler, port=int(os.environ["PORT"]), bind="127.0.0.1")
            """;

    private static final String GREETING =
            """
            import com.sun.net.httpserver.HttpServer;
            import java.net.InetSocketAddress;

            public class Greeting {
                public static void main(String[] args) throws Exception {
                    int port = Integer.parseInt(System.getenv("PORT"));
                    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
                    server.createContext("/", exchange -> {
                        exchange.sendResponseHeaders(204, -1);
                        exchange.close();
                    });
                    server.start();
                    System.out.println("greetings from a jar");
                }
            }
            """;

    @TempDir private Path folder;
    private Server server;

    @BeforeEach
    void start() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        server =
                Server.start(
                        ServerConfig.of(
                                Settings.read(
                                        Optional.empty(),
                                        Map.of(
                                                "PETRICHOR_STORE__DATA",
                                                        folder.resolve("data").toString(),
                                                "PETRICHOR_SERVER__PORT", "0",
                                                "PETRICHOR_APPS__PORT", "0"),
                                        Map.of())));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private CommandRun run(String input, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--host", "localhost", "--port", String.valueOf(server.port())));
        return CommandRun.withInput(input, all.toArray(new String[0]));
    }

    private Path app() throws IOException {
        Path app = Files.createDirectories(folder.resolve("app"));
        Files.writeString(app.resolve("app.yaml"), "runtime: python\nentrypoint: python main.py\n");
        Files.writeString(app.resolve("main.py"), MAIN);
        Files.writeString(app.resolve(".gcloudignore"), "*.log\n");
        Files.writeString(app.resolve("ignored.log"), "x");
        return app;
    }

    @Test
    void anAppIsDeployedAndManaged() throws Exception {
        String app = app().toString();
        CommandRun first = run("", "deploy", app, "--project", "demo", "--version-id", "v1");
        assertThat(first.code()).as(first.err()).isZero();
        assertThat(first.out()).contains("deployed demo/default/v1").contains("http://demo.");
        assertThat(first.err()).contains("3 files");
        assertThat(run("", "deploy", app, "--project", "demo", "--version-id", "v2").code())
                .isZero();
        assertThat(run("", "app", "list").out()).contains("v2  100.0 %").contains("v1  0.0 %");
        assertThat(run("", "app", "split", "demo", "v1=0.5", "v2=0.5").out())
                .contains("v1  50.0 %");
        assertThat(run("", "app", "rollback", "demo").out()).contains("v2  100.0 %");
        assertThat(run("", "app", "promote", "demo", "v1").out()).contains("v1  100.0 %");
        assertThat(run("", "app", "explain", "demo").out()).contains("default/v1:");
        assertThat(run("", "app", "logs", "demo").out()).contains("hello from v1");
        assertThat(
                        JsonParser.parseString(run("", "app", "versions", "demo", "--json").out())
                                .getAsJsonObject()
                                .get("project")
                                .getAsString())
                .isEqualTo("demo");
        assertThat(run("", "app", "stop", "demo", "v2").out()).contains("stopped");
        assertThat(run("", "app", "delete", "demo").code()).isZero();
        assertThat(run("", "app", "list").out()).isEmpty();
    }

    @Test
    void aRunnableJarIsDeployed() throws Exception {
        Path classes = Files.createDirectories(folder.resolve("classes"));
        Path source = Files.writeString(classes.resolve("Greeting.java"), GREETING);
        tool("javac", "-d", classes.toString(), source.toString());
        Path jar = folder.resolve("greeting.jar");
        tool(
                "jar",
                "--create",
                "--file",
                jar.toString(),
                "--main-class",
                "Greeting",
                "-C",
                classes.toString(),
                "Greeting.class");

        CommandRun deployed =
                run("", "deploy", jar.toString(), "--project", "greeting", "--version-id", "v1");
        assertThat(deployed.code()).as(deployed.err()).isZero();
        assertThat(run("", "app", "logs", "greeting").out()).contains("greetings from a jar");

        Path archive = Files.createFile(folder.resolve("app.rar"));
        assertThat(run("", "deploy", archive.toString(), "--project", "greeting").err())
                .contains(".jar or .war");
    }

    private static void tool(String name, String... words) {
        assertThat(ToolProvider.findFirst(name).orElseThrow().run(System.out, System.err, words))
                .isZero();
    }

    @Test
    void quotasAreShownSetAndReset() {
        CommandRun set = run("", "app", "quota", "set", "demo", "requests=100/s", "storage=2GiB");
        assertThat(set.code()).as(set.err()).isZero();
        assertThat(set.out())
                .containsPattern("requests +6000/min +app")
                .containsPattern("storage +2GiB +app +0B +0")
                .containsPattern("instances +unlimited +server");
        assertThat(run("", "app", "quota", "set", "demo", "storage=lots").err())
                .contains("use a size such as 512MiB or 2GiB, or unlimited");
        assertThat(run("", "app", "quota", "reset", "demo", "storage").out())
                .containsPattern("storage +unlimited +server")
                .containsPattern("requests +6000/min +app");
        assertThat(run("", "app", "quota", "reset", "demo").out())
                .containsPattern("requests +unlimited +server");
        assertThat(
                        JsonParser.parseString(
                                        run("", "app", "quota", "show", "demo", "--json").out())
                                .getAsJsonObject()
                                .getAsJsonArray("quotas"))
                .hasSize(9);
    }

    @Test
    void variablesAndSecretsReachTheApp() throws Exception {
        Path app = app();
        Files.writeString(
                app.resolve("main.py"),
                "import os\n"
                        + "print('mode', os.environ.get('MODE'), len(os.environ.get('KEY', '')),"
                        + " flush=True)\n"
                        + MAIN);
        assertThat(run("", "app", "env", "set", "demo", "MODE=a=b,c", "EMPTY=").out())
                .contains("set MODE, set EMPTY");
        CommandRun set = run("s3cret\n", "app", "secret", "set", "demo", "KEY");
        assertThat(set.code()).as(set.err()).isZero();
        assertThat(set.out() + set.err()).contains("set KEY").doesNotContain("s3cret");
        assertThat(run("", "app", "list").out()).contains("demo  no version");
        assertThat(run("", "deploy", app.toString(), "--project", "demo").code()).isZero();
        assertThat(run("", "app", "logs", "demo").out()).contains("mode a=b,c 6");
        assertThat(run("", "app", "env", "list", "demo").out().lines())
                .containsExactly("EMPTY=", "MODE=a=b,c");
        assertThat(run("", "app", "secret", "list", "demo").out().lines()).containsExactly("KEY");
        Path file = Files.writeString(folder.resolve("key.pem"), "line 1\nline 2\n");
        CommandRun changed =
                run("", "app", "secret", "set", "demo", "KEY", "--file", file.toString());
        assertThat(changed.err()).contains("starting an instance");
        assertThat(run("", "app", "logs", "demo").out()).contains("mode a=b,c 13");
        assertThat(run("", "app", "env", "unset", "demo", "EMPTY").code()).isZero();
        assertThat(run("", "app", "secret", "unset", "demo", "KEY").code()).isZero();
        assertThat(run("", "app", "secret", "list", "demo", "--json").out().strip())
                .isEqualTo("[]");
        assertThat(run("", "app", "env", "unset", "demo", "MOD").err())
                .contains("not changed; variables: ")
                .contains("the nearest is MODE");
        assertThat(run("", "app", "secret", "set", "demo", "KEY=x").err())
                .contains("its value is read from standard input");
        assertThat(run("", "app", "open", "demo", "--print").out()).startsWith("http://demo.local");
        assertThat(run("", "app", "open", "demo", "--service", "x").err())
                .contains("has no service x");
    }

    /** The status line of a response to a host. */
    private static String status(int port, String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write(
                            ("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            return answer.substring(0, Math.max(answer.indexOf('\r'), 0));
        }
    }

    @Test
    void domainsLeadToApps() throws Exception {
        String app = app().toString();
        for (String name : List.of("demo", "other")) {
            assertThat(run("", "deploy", app, "--project", name).code()).isZero();
        }
        int port = URI.create(run("", "app", "open", "demo", "--print").out().strip()).getPort();
        assertThat(status(port, "shop.example.com")).contains("404");
        CommandRun added = run("", "app", "domain", "add", "demo", "Shop.Example.com");
        assertThat(added.out()).as(added.err()).contains("shop.example.com  default");
        assertThat(status(port, "shop.example.com")).contains("200");
        assertThat(status(port, "SHOP.example.com:8080")).contains("200");
        assertThat(status(port, "www.example.com")).contains("404");
        assertThat(run("", "app", "domain", "add", "demo", "*.example.com").code()).isZero();
        assertThat(status(port, "www.example.com")).contains("200");
        CommandRun taken = run("", "app", "domain", "add", "other", "shop.example.com");
        assertThat(taken.code()).isNotZero();
        assertThat(taken.err()).contains("belongs to the app demo; remove it there first");
        assertThat(run("", "app", "domain", "add", "other", "demo.localhost").err())
                .contains("belongs to the platform's domain localhost");
        assertThat(run("", "app", "domain", "add", "other", "http://a.example").err())
                .contains("is not a domain");
        assertThat(run("", "app", "domain", "add", "demo", "a.example", "--service", "x").err())
                .contains("has no service x");
        assertThat(run("", "app", "domain", "list", "demo", "--json").out())
                .contains("{\"host\":\"*.example.com\",\"service\":\"default\"");
        assertThat(run("", "app", "domain", "remove", "demo", "*.example.com").out())
                .doesNotContain("*");
        assertThat(status(port, "www.example.com")).contains("404");
        assertThat(run("", "app", "domain", "remove", "demo", "*.example.com").err())
                .contains("does not have the domain *.example.com");
        assertThat(run("", "app", "delete", "demo").code()).isZero();
        assertThat(run("", "app", "domain", "add", "other", "shop.example.com").code()).isZero();
    }

    @Test
    void aBrowserIsOpenedOnADesktop() {
        assertThat(AppOpenCommand.browser("Linux", Map.of())).isEmpty();
        assertThat(AppOpenCommand.browser("Linux", Map.of("DISPLAY", ":0")))
                .contains(List.of("xdg-open"));
        assertThat(AppOpenCommand.browser("Mac OS X", Map.of())).contains(List.of("open"));
    }

    @Test
    void filesOfAnAppAreDeployedAlone() throws Exception {
        String queues =
                Files.writeString(folder.resolve("queue.yaml"), "queue:\n- name: q\n").toString();
        String cron = Files.writeString(folder.resolve("cron.yaml"), "cron:\n").toString();
        CommandRun applied = run("", "deploy", queues, cron, "--project", "demo");
        assertThat(applied.code()).as(applied.err()).isZero();
        assertThat(applied.err()).contains("queue.yaml: q").contains("cron.yaml: nothing");
        Files.writeString(folder.resolve("cron.yaml"), "corn:\n");
        CommandRun broken = run("", "deploy", queues, cron, "--project", "demo");
        assertThat(broken.code()).isNotZero();
        assertThat(broken.err()).contains("cron.yaml:1").contains("the nearest is \"cron\"");
        assertThat(run("", "deploy", queues, app().toString(), "--project", "demo").err())
                .contains("deploy a folder by itself");
    }

    @Test
    void failuresAreExplained() throws Exception {
        Path app = app();
        Files.writeString(app.resolve("main.py"), "raise SystemExit('no database')\n");
        CommandRun failed = run("", "deploy", app.toString(), "--project", "demo");
        assertThat(failed.code()).isNotZero();
        assertThat(failed.err()).contains("no database").contains("not deployed; start");
        assertThat(run("", "deploy", folder.resolve("missing").toString()).err())
                .contains("there is no");
        assertThat(run("", "app", "rollback", "demo").err()).contains("there is no app demo");
    }

    @Test
    void aPasswordCanBePiped() {
        assertThat(run("correct horse\n", "user", "add", "ann@example.com").out())
                .contains("added ann@example.com");
        assertThat(run("", "user", "list").out()).contains("ann@example.com");
    }
}
