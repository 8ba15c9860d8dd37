package petrichor.cli.backups;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.cli.CommandProcess;
import petrichor.cli.CommandRun;
import petrichor.client.DatabaseName;
import petrichor.client.DatastoreClient;
import petrichor.movement.backups.BackupTime;

/** Backs up a real server, also while it, its writers and the backup are killed. */
@Tag("slow")
final class BackupCommandTest {
    private static final DatabaseName SHOP = new DatabaseName("shop", "");
    private static final int KEYS = 300;
    private static final int ROUNDS = 6;
    private static final int COMPARED = 8;

    @TempDir Path folder;

    private int port;
    private @Nullable Process server;

    @BeforeEach
    void start() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        startServer();
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

    /** Runs a command for the server. */
    private CommandRun run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--host", "localhost", "--port", Integer.toString(port)));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private String backups() {
        return folder.resolve("backups").toString();
    }

    @Test
    void aBackupIsExactAtEveryTimeAlthoughServerAndBackupAreKilled() throws Exception {
        List<Long> versions = new ArrayList<>();
        AtomicBoolean writing = new AtomicBoolean(true);
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            writers.add(Thread.ofVirtual().start(() -> write(number, writing, versions)));
        }
        awaitCommits(versions, 50);
        assertThat(run("backup", "create", backups(), "--project", "shop").err())
                .contains("backed up");
        for (int round = 0; round < ROUNDS; round++) {
            awaitCommits(versions, sizeOf(versions) + 50);
            Process backup = startBackup(round % 2 == 0);
            if (round % 3 == 0) {
                awaitStart(backup);
                kill();
                startServer();
            } else if (round % 3 == 1) {
                awaitStart(backup);
                backup.destroyForcibly();
            }
            backup.waitFor();
        }
        awaitCommits(versions, sizeOf(versions) + 50);
        writing.set(false);
        for (Thread writer : writers) {
            writer.join();
        }
        CommandRun last = run("backup", "create", backups(), "--project", "shop", "--json");
        assertThat(last.code()).as(last.err()).isZero();
        CommandRun verified = CommandRun.of("backup", "verify", backups());
        assertThat(verified.code()).as(verified.err()).isZero();
        requireExact(versions);
    }

    private void requireExact(List<Long> versions) {
        List<Long> all;
        synchronized (versions) {
            all = versions.stream().sorted().toList();
        }
        Random random = new Random(7);
        for (int i = 0; i < COMPARED; i++) {
            // The first backup was taken after 50 commits.
            long version =
                    i == 0
                            ? all.getLast()
                            : all.get(all.size() / 4 + random.nextInt(all.size() * 3 / 4));
            String time = BackupTime.text(version);
            CommandRun restored =
                    run(
                            "backup",
                            "restore",
                            backups(),
                            "--from",
                            "shop",
                            "--project",
                            "copy",
                            "--at",
                            time,
                            "--apply");
            assertThat(restored.code()).as(restored.err()).isZero();
            CommandRun then = run("export", "--project", "shop", "--read-time", time);
            CommandRun now = run("export", "--project", "copy");
            assertThat(now.out().lines().map(line -> line.replace("copy", "shop")).toList())
                    .as("version %d", version)
                    .isNotEmpty()
                    .isEqualTo(then.out().lines().toList());
        }
    }

    private Process startBackup(boolean full) throws IOException {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "backup",
                                "create",
                                backups(),
                                "--project",
                                "shop",
                                "--host",
                                "localhost",
                                "--port",
                                Integer.toString(port)));
        if (full) {
            arguments.add("--full");
        }
        return CommandProcess.start(
                folder,
                Map.of(),
                List.of(),
                folder.resolve("backup.out"),
                folder.resolve("backup.err"),
                arguments.toArray(String[]::new));
    }

    /** Returns when the backup has written a part of a file, or has ended. */
    private void awaitStart(Process backup) throws IOException {
        long before = sets();
        while (backup.isAlive() && sets() == before) {
            Thread.onSpinWait();
        }
    }

    private long sets() throws IOException {
        try (Stream<Path> all = Files.list(folder.resolve("backups/shop/(default)"))) {
            return all.count();
        }
    }

    private static int sizeOf(List<Long> versions) {
        synchronized (versions) {
            return versions.size();
        }
    }

    private static void awaitCommits(List<Long> versions, int count) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        while (sizeOf(versions) < count) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(5);
        }
    }

    /** Changes several entities per commit, and records the versions of acknowledged commits. */
    private void write(int number, AtomicBoolean writing, List<Long> versions) {
        Random random = new Random(number);
        try (DatastoreClient client = DatastoreClient.open("localhost", port)) {
            for (long value = 0; writing.get(); value++) {
                CommitRequest.Builder commit =
                        CommitRequest.newBuilder()
                                .setProjectId(SHOP.project())
                                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
                int first = random.nextInt(KEYS);
                for (int i = 0; i < 3; i++) {
                    commit.addMutations(mutation(number, (first + i) % KEYS, value, random));
                }
                try {
                    long version = client.commit(commit.build()).getMutationResults(0).getVersion();
                    synchronized (versions) {
                        versions.add(version);
                    }
                } catch (PetrichorException killed) {
                    // Its outcome is unknown.
                }
            }
        }
    }

    private static Mutation mutation(int writer, int key, long value, Random random) {
        Key id =
                Key.newBuilder()
                        .setPartitionId(SHOP.partition(""))
                        .addPath(
                                Key.PathElement.newBuilder()
                                        .setKind("Item" + writer)
                                        .setName("n" + key))
                        .build();
        return random.nextInt(5) == 0
                ? Mutation.newBuilder().setDelete(id).build()
                : Mutation.newBuilder()
                        .setUpsert(
                                Entity.newBuilder()
                                        .setKey(id)
                                        .putProperties(
                                                "value",
                                                Value.newBuilder().setIntegerValue(value).build()))
                        .build();
    }
}
