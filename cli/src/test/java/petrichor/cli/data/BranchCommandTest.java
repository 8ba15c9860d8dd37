package petrichor.cli.data;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandProcess;
import petrichor.cli.CommandRun;
import petrichor.cli.connection.ServerPage;

/** Branches of a real server, also while it is killed. */
@Tag("slow")
final class BranchCommandTest {
    private static final int ENTITIES = 200;
    private static final int KILLS = 4;

    @TempDir Path folder;

    private int port;
    private @Nullable Process server;

    @BeforeEach
    void start() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        startServer();
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < ENTITIES; i++) {
            lines.append(line("City", i, "parent"));
        }
        load("", lines.toString());
    }

    @AfterEach
    void stop() throws Exception {
        kill();
    }

    private void startServer() throws Exception {
        server =
                CommandProcess.start(
                        folder,
                        Map.of(),
                        List.of(),
                        folder.resolve("server.out"),
                        folder.resolve("server.err"),
                        "up",
                        "--data",
                        folder.resolve("data").toString(),
                        "--port",
                        Integer.toString(port));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (run("database", "list").code() != 0) {
            assertThat(server.isAlive())
                    .as(Files.readString(folder.resolve("server.err")))
                    .isTrue();
            assertThat(System.nanoTime()).isLessThan(end);
        }
    }

    private void kill() throws InterruptedException {
        if (server != null) {
            server.destroyForcibly().waitFor();
        }
    }

    private CommandRun run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--host", "localhost", "--port", Integer.toString(port)));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private static String line(String kind, int id, String value) {
        return "{\"key\":{\"partitionId\":{\"projectId\":\"shop\"},\"path\":[{\"kind\":\""
                + kind
                + "\",\"name\":\"n"
                + id
                + "\"}]},\"properties\":{\"v\":{\"stringValue\":\""
                + value
                + "\"}}}\n";
    }

    private void load(String database, String lines) throws Exception {
        Path file = Files.createTempFile(folder, "lines", ".jsonl");
        Files.writeString(file, lines);
        CommandRun run =
                run("import", file.toString(), "--project", "shop", "--database", database);
        assertThat(run.code()).as(run.err()).isZero();
    }

    private String count(String database, String value) {
        CommandRun run =
                run(
                        "gql",
                        "SELECT COUNT(*) AS n FROM City WHERE v = '" + value + "'",
                        "--json",
                        "--project",
                        "shop",
                        "--database",
                        database);
        assertThat(run.code()).as(run.err()).isZero();
        return run.out().replaceAll("[^0-9]", "");
    }

    private List<JsonObject> databases() {
        return run("database", "list", "--json")
                .out()
                .lines()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .toList();
    }

    @Test
    void aBranchIsADatabaseOfItsOwn() throws Exception {
        CommandRun made = run("database", "branch", "preview", "--project", "shop");
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(made.out()).startsWith("created shop/preview, a branch of shop/(default) as of");
        load("preview", line("City", 0, "branch") + line("City", ENTITIES, "branch"));
        load("", line("City", 1, "later"));
        assertThat(count("preview", "parent")).isEqualTo(String.valueOf(ENTITIES - 1));
        assertThat(count("preview", "branch")).isEqualTo("2");
        assertThat(count("preview", "later")).isEqualTo("0");
        assertThat(count("", "branch")).isEqualTo("0");
        JsonObject listed =
                databases().stream().filter(one -> one.has("parent")).findFirst().orElseThrow();
        assertThat(listed.get("database").getAsString()).isEqualTo("preview");
        assertThat(listed.get("rows").getAsLong()).isPositive();

        String place = folder.resolve("backups").toString();
        CommandRun backup =
                run("backup", "create", place, "--project", "shop", "--database", "preview");
        assertThat(backup.code()).as(backup.err()).isZero();
        CommandRun restored =
                run(
                        "backup",
                        "restore",
                        place,
                        "--from",
                        "shop/preview",
                        "--project",
                        "shop",
                        "--database",
                        "copy",
                        "--apply");
        assertThat(restored.code()).as(restored.err()).isZero();
        assertThat(count("copy", "parent")).isEqualTo(String.valueOf(ENTITIES - 1));
        assertThat(count("copy", "branch")).isEqualTo("2");

        assertThat(run("database", "drop", "copy", "--project", "shop").err())
                .contains("is not a branch");
        assertThat(run("database", "drop", "preview", "--project", "shop").out())
                .isEqualTo("dropped shop/preview\n");
        assertThat(databases().stream().anyMatch(one -> one.has("parent"))).isFalse();
    }

    @Test
    void aKilledServerHasWholeBranchesOrNone() throws Exception {
        for (int round = 0; round < KILLS; round++) {
            AtomicBoolean working = new AtomicBoolean(true);
            String name = "b" + round;
            int pause = 100 + 150 * round;
            Thread client = Thread.ofPlatform().start(() -> branchAndDrop(name, working));
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause);
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            kill();
            working.set(false);
            client.join();
            startServer();
            for (JsonObject database : databases()) {
                if (database.has("parent")) {
                    String branch = database.get("database").getAsString();
                    assertThat(count(branch, "parent")).isEqualTo(String.valueOf(ENTITIES));
                    CommandRun drop = run("database", "drop", branch, "--project", "shop");
                    assertThat(drop.code()).as(drop.err()).isZero();
                }
            }
            assertThat(count("", "parent")).isEqualTo(String.valueOf(ENTITIES));
            assertThat(databases()).hasSize(1);
        }
    }

    /** Over HTTP: only one command can run in this process at a time. */
    private void branchAndDrop(String name, AtomicBoolean working) {
        while (working.get()) {
            for (String action : List.of("branch", "drop")) {
                JsonObject request = new JsonObject();
                request.addProperty("action", action);
                request.addProperty("project", "shop");
                request.addProperty("database", action.equals("branch") ? "" : name);
                request.addProperty("name", name);
                try {
                    var _ =
                            ServerPage.change(
                                    "localhost:" + port,
                                    "/petrichor/v1/databases",
                                    "",
                                    null,
                                    request);
                } catch (petrichor.base.PetrichorException killed) {
                    // What was done is looked at after the restart.
                } catch (InterruptedException interrupted) {
                    return;
                }
            }
        }
    }
}
