package petrichor.bench.stores;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import petrichor.bench.Sample;
import petrichor.kv.StoreUrl;
import petrichor.testing.process.Program;

/**
 * A peer's transactions over the same server, in a separate process installed by {@code
 * bench/peers/install}; {@code TransferClients.java} documents its protocol. Belongs to one thread.
 */
final class TransferPeer implements AutoCloseable {
    private static final String PROGRAM = "TransferClients.java";
    private static final String LIBRARIES = "scalardb";
    private static final String CONSENSUS = "scalar.db.consensus_commit.";
    private static final Duration STOP_WITHIN = Duration.ofSeconds(10);

    private final String name;
    private final Process process;
    private final Writer commands;
    private final BufferedReader answers;

    private TransferPeer(String name, Process process) {
        this.name = name;
        this.process = process;
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /**
     * ScalarDB with the settings that its manual recommends for speed: one-phase commits where a
     * transaction has all of its rows in one partition, group commit, and asynchronous secondary
     * steps. Empty if it does not support this store.
     */
    static Optional<Map<String, String>> scalarDb(StoreUrl url) {
        return properties(url)
                .map(
                        properties -> {
                            properties.put("scalar.db.transaction_manager", "consensus-commit");
                            properties.put(CONSENSUS + "isolation_level", "SERIALIZABLE");
                            properties.put(CONSENSUS + "one_phase_commit.enabled", "true");
                            properties.put(CONSENSUS + "async_commit.enabled", "true");
                            properties.put(CONSENSUS + "coordinator.group_commit.enabled", "true");
                            return properties;
                        });
    }

    /** Serializable transactions of the database itself. Empty if it has none. */
    static Optional<Map<String, String>> sql(StoreUrl url) {
        return properties(url)
                .filter(properties -> properties.containsValue("jdbc"))
                .map(
                        properties -> {
                            properties.put("transfers.by", "sql");
                            return properties;
                        });
    }

    private static Optional<Map<String, String>> properties(StoreUrl url) {
        Map<String, String> properties = new TreeMap<>();
        StoreUrl.Node node = url.nodes().getFirst();
        switch (url.scheme()) {
            case "postgresql", "mariadb" -> {
                properties.put("scalar.db.storage", "jdbc");
                properties.put(
                        "scalar.db.contact_points",
                        "jdbc:" + url.scheme() + "://" + node + "/" + url.name());
            }
            case "cassandra" -> {
                properties.put("scalar.db.storage", "cassandra");
                properties.put("scalar.db.contact_points", node.host());
                node.port()
                        .ifPresent(
                                port -> properties.put("scalar.db.contact_port", port.toString()));
            }
            default -> {
                return Optional.empty();
            }
        }
        url.user().ifPresent(user -> properties.put("scalar.db.username", user));
        url.password().ifPresent(password -> properties.put("scalar.db.password", password));
        return Optional.of(properties);
    }

    static boolean installedIn(Path peers) {
        return Files.isDirectory(peers.resolve(LIBRARIES))
                && Files.isRegularFile(peers.resolve(PROGRAM));
    }

    /**
     * @param folder for the properties file, readable by this user only
     */
    static TransferPeer start(
            String name, Path peers, Map<String, String> properties, Path folder) {
        try {
            Path file =
                    Files.createTempFile(
                            folder,
                            "peer",
                            ".properties",
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
            StringBuilder text = new StringBuilder();
            properties.forEach((key, value) -> text.append(key + "=" + value + "\n"));
            Files.writeString(file, text);
            TransferPeer started =
                    new TransferPeer(
                            name,
                            new ProcessBuilder(command(peers, file))
                                    .redirectError(folder.resolve("peer-" + name + ".log").toFile())
                                    .start());
            started.expect("ready");
            return started;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static List<String> command(Path peers, Path properties) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.addAll(Program.LAUNCHER_FLAGS);
        command.addAll(List.of("-cp", peers.resolve(LIBRARIES) + "/*"));
        command.addAll(List.of(peers.resolve(PROGRAM).toString(), properties.toString()));
        return command;
    }

    String name() {
        return name;
    }

    void load(int rows) {
        say("load " + rows);
        expect("loaded");
    }

    long sum(int rows) {
        say("sum " + rows);
        return Long.parseLong(answer());
    }

    Accounts.Transfers transfer(int clients, int rows, Duration length) {
        say("transfer " + clients + " " + rows + " " + length.toMillis());
        String answer = answer();
        String[] words = answer.split(" ", -1);
        if (words.length != 6) {
            throw new IllegalStateException(name + ": " + answer);
        }
        double seconds = Double.parseDouble(words[1]);
        return new Accounts.Transfers(
                new Sample(
                        Long.parseLong(words[0]) / seconds,
                        Double.parseDouble(words[2]),
                        Double.parseDouble(words[3])),
                Long.parseLong(words[4]),
                Double.parseDouble(words[5]));
    }

    private void say(String command) {
        try {
            commands.write(command + "\n");
            commands.flush();
        } catch (IOException ended) {
            throw new UncheckedIOException(ended);
        }
    }

    private String answer() {
        try {
            // Log messages of libraries have another prefix.
            String line = answers.readLine();
            if (line == null) {
                throw new IllegalStateException(
                        "the process of " + name + " has ended; see its log");
            }
            return line;
        } catch (IOException ended) {
            throw new UncheckedIOException(ended);
        }
    }

    private void expect(String answer) {
        String got = answer();
        if (!got.equals(answer)) {
            throw new IllegalStateException(name + " answered '" + got + "', not " + answer);
        }
    }

    @Override
    public void close() {
        try {
            commands.close();
            if (!process.waitFor(STOP_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException gone) {
            process.destroyForcibly();
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
