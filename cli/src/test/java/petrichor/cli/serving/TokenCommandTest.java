package petrichor.cli.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandRun;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;

final class TokenCommandTest {
    @TempDir private Path folder;

    @Test
    void aServerAcceptsPrintedTokens() throws Exception {
        Path file = folder.resolve("tokens.toml");
        CommandRun reader =
                create(file, "reports", "--role", "read", "--database", "shop/(default)");
        CommandRun admin = create(file, "root", "--role", "ADMIN");
        assertThat(reader.code()).isZero();
        assertThat(Files.readString(file))
                .contains("[reports]\nrole = \"read\"")
                .contains("databases = [\"shop/(default)\"]")
                .contains("[root]\nrole = \"admin\"")
                .doesNotContain(reader.out().strip());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        ServerConfig config =
                ServerConfig.defaults()
                        .withMemory()
                        .withPort(0)
                        .withAuth(
                                new ServerConfig.Access(
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.of(file),
                                        Duration.ofSeconds(5)));
        try (Server server = Server.start(config)) {
            assertThat(reset(server, reader.out().strip())).isEqualTo(403);
            assertThat(reset(server, admin.out().strip())).isEqualTo(200);
            assertThat(reset(server, "x")).isEqualTo(401);
        }
    }

    @Test
    void aRunningServerIssuesListsAndRevokesTokens() throws Exception {
        ServerConfig config = ServerConfig.defaults().withMemory().withPort(0).withToken("t0ken");
        try (Server server = Server.start(config)) {
            CommandRun created =
                    at(server, "create", "root", "--role", "admin", "--expires-days", "1");
            assertThat(created.err()).contains("shown only this once");
            assertThat(created.code()).isZero();
            CommandRun limited =
                    at(
                            server,
                            "create",
                            "ci",
                            "--role",
                            "deploy",
                            "--project",
                            "a",
                            "--project",
                            "b");
            assertThat(limited.code()).as(limited.err()).isZero();
            assertThat(at(server, "list").out())
                    .contains("ci  deploy  a, b  created 2")
                    .contains("root  admin  all projects  created 2")
                    .contains("expires 2")
                    .doesNotContain(created.out().strip());
            assertThat(reset(server, limited.out().strip())).isEqualTo(403);
            assertThat(reset(server, created.out().strip())).isEqualTo(200);
        }
        try (Server server = Server.start(config)) {
            String token = at(server, "create", "root", "--role", "admin").out().strip();
            assertThat(at(server, "revoke", "root").code()).isZero();
            assertThat(reset(server, token)).isEqualTo(401);
            assertThat(at(server, "revoke", "root").err()).contains("no server issued a token");
            assertThat(at(server, "create", "x", "--role", "read", "--database", "a/b").err())
                    .contains("--file");
        }
    }

    private static CommandRun at(Server server, String... words) {
        List<String> line = new ArrayList<>(List.of("token"));
        line.addAll(List.of(words));
        line.addAll(List.of("--port", "" + server.port(), "--token", "t0ken"));
        return CommandRun.of(line.toArray(String[]::new));
    }

    @Test
    void aNameThatIsTakenOrImpossibleChangesNothing() throws Exception {
        Path file = folder.resolve("tokens.toml");
        assertThat(create(file, "one", "--role", "read").code()).isZero();
        String before = Files.readString(file);
        for (String name : new String[] {"one", "a b", "x]\n[y"}) {
            CommandRun refused = create(file, name, "--role", "read");
            assertThat(refused.code()).as(name).isEqualTo(1);
            assertThat(refused.out()).isEmpty();
        }
        assertThat(create(file, "two", "--role", "read", "--database", "shop").err())
                .contains("PROJECT/(default)");
        assertThat(create(file, "two", "--role", "king").code()).isEqualTo(2);
        assertThat(Files.readString(file)).isEqualTo(before);
    }

    private static CommandRun create(Path file, String name, String... options) {
        String[] words = new String[5 + options.length];
        words[0] = "token";
        words[1] = "create";
        words[2] = name;
        words[3] = "--file";
        words[4] = file.toString();
        System.arraycopy(options, 0, words, 5, options.length);
        return CommandRun.of(words);
    }

    private static int reset(Server server, String token) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://localhost:" + server.port() + "/reset"))
                                    .header("Authorization", "Bearer " + token)
                                    .POST(HttpRequest.BodyPublishers.noBody())
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .statusCode();
        }
    }
}
