package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pushes of git to a server's remotes. */
class GitRemoteTest {
    private static final Pattern URL = Pattern.compile("remote: (http://\\S+)");

    @TempDir private Path folder;
    private HostingServer server;
    private Path work;

    @BeforeEach
    void start() throws Exception {
        server = HostingServer.in(folder, Map.of());
        work = Files.createDirectory(folder.resolve("work"));
        assertThat(git("init", "--quiet", "--initial-branch=main").status).isZero();
        write("one");
        Files.createSymbolicLink(work.resolve("link.txt"), Path.of("text.txt"));
        Files.writeString(
                work.resolve("app.yaml"), "runtime: python\nentrypoint: python main.py\n");
        Files.writeString(
                work.resolve("main.py"),
                """
                import http.server, os

                class Handler(http.server.BaseHTTPRequestHandler):
                    def do_GET(self):
                        self.send_response(200)
                        self.end_headers()
                        self.wfile.write(open("link.txt", "rb").read())

                http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
                """);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private record Ended(int status, String output) {}

    private void write(String text) throws IOException {
        Path _ = Files.writeString(work.resolve("text.txt"), text);
    }

    private void commit(String text) throws Exception {
        write(text);
        assertThat(git("add", "--all").status).isZero();
        assertThat(git("commit", "--quiet", "--message", text).status).isZero();
    }

    /** Git without the configuration of this machine. */
    private Ended git(String... arguments) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of("git"));
        line.addAll(List.of("-c", "user.name=Ann", "-c", "user.email=ann@example.com"));
        line.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(line).directory(work.toFile()).redirectErrorStream(true);
        builder.environment()
                .putAll(
                        Map.of(
                                "GIT_CONFIG_NOSYSTEM",
                                "1",
                                "GIT_CONFIG_GLOBAL",
                                "/dev/null",
                                "GIT_TERMINAL_PROMPT",
                                "0"));
        Process git = builder.start();
        String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(git.waitFor(), output);
    }

    private String remote(String token, String project) {
        return "http://any:" + token + "@127.0.0.1:" + server.port() + "/git/" + project;
    }

    private Ended push(String... options) throws Exception {
        List<String> line = new ArrayList<>(List.of("push"));
        line.addAll(List.of(options));
        line.addAll(List.of(remote(HostingServer.TOKEN, "demo"), "HEAD:main"));
        return git(line.toArray(String[]::new));
    }

    /** What the deployed app answers. */
    private static String served(Ended push) throws Exception {
        assertThat(push.status).as(push.output).isZero();
        Matcher url = URL.matcher(push.output);
        assertThat(url.find()).as(push.output).isTrue();
        int port = URI.create(url.group(1)).getPort();
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port)).build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void aPushDeploysAndTheNextOneToo() throws Exception {
        commit("one");
        Ended first = push();
        assertThat(first.output).contains("remote: starting an instance", "remote: deployed demo/");
        assertThat(served(first)).isEqualTo("one");
        commit("two");
        Ended second = push("-o", "version=v2");
        assertThat(second.output).contains("remote: deployed demo/default/v2");
        assertThat(served(second)).isEqualTo("two");
        commit("three");
        assertThat(served(push("-o", "version=v3", "-o", "no-promote"))).isEqualTo("two");
        assertThat(push().output).contains("Everything up-to-date");
    }

    @Test
    void aFailedDeploymentIsRefusedAndCanBePushedAgain() throws Exception {
        commit("one");
        assertThat(served(push())).isEqualTo("one");
        Path broken = work.resolve("requirements.txt");
        Path _ = Files.writeString(broken, "./missing-package\n");
        commit("broken");
        for (int attempt = 0; attempt < 2; attempt++) {
            Ended refused = push();
            assertThat(refused.status).as(refused.output).isNotZero();
            assertThat(refused.output)
                    .contains("remote:   ", "missing-package") // the output of pip
                    .contains(
                            "[remote rejected] HEAD -> main (not deployed; build (dependencies))");
        }
        Files.delete(broken);
        commit("repaired");
        assertThat(served(push())).isEqualTo("repaired");
    }

    @Test
    void onlyTokensOfAdministratorsPush() throws Exception {
        commit("one");
        for (String wrong : new String[] {"wrong", ""}) {
            Ended refused = git("push", remote(wrong, "demo"), "HEAD:main");
            assertThat(refused.status).as(refused.output).isNotZero();
        }
        Ended asked = git("push", "http://127.0.0.1:" + server.port() + "/git/demo", "HEAD:main");
        assertThat(asked.output).contains("could not read Username");
        assertThat(server.send(server.request("/petrichor/v1/apps")).body())
                .contains("\"apps\":[]");
    }

    @Test
    void otherRefsAndNamesAreRefused() throws Exception {
        commit("one");
        String demo = remote(HostingServer.TOKEN, "demo");
        assertThat(git("push", demo, "HEAD:feature").output)
                .contains("only main and master are deployed");
        assertThat(git("push", demo, "HEAD:main", "HEAD:master").output)
                .contains("push one branch at a time");
        assertThat(push("-o", "explode").output).contains("there is no push option explode");
        assertThat(git("push", remote(HostingServer.TOKEN, "..%2Fdata"), "HEAD:main").status)
                .isNotZero();
        assertThat(git("ls-remote", demo).output).contains("403");
        assertThat(server.send(server.request("/petrichor/v1/apps")).body())
                .contains("\"apps\":[]");
    }

    @Test
    void aDeletedAppCanBePushedAgain() throws Exception {
        commit("one");
        assertThat(served(push())).isEqualTo("one");
        HttpResponse<String> deleted =
                server.send(
                        server.request("/petrichor/v1/apps/demo")
                                .header("Content-Type", "application/json")
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"action\": \"delete\"}")));
        assertThat(deleted.statusCode()).isEqualTo(200);
        assertThat(served(push())).isEqualTo("one");
    }

    /** Git sends a large push in chunks, after a request that only asks for the password. */
    @Test
    void aLargePushArrives() throws Exception {
        byte[] noise = new byte[5 << 20];
        new java.util.Random(1).nextBytes(noise);
        Path _ = Files.write(work.resolve("noise.bin"), noise);
        commit("large");
        assertThat(served(push())).isEqualTo("large");
    }
}
