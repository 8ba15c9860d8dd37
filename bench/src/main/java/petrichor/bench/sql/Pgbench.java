package petrichor.bench.sql;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;
import petrichor.bench.Contender;
import petrichor.bench.Contest;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.Sample;

/** PostgreSQL's own load, {@code pgbench}, at both servers. */
final class Pgbench {
    /** Retries of a transaction that conflicts. */
    private static final int TRIES_MAX = 1_000;

    private static final Duration ENDS_WITHIN = Duration.ofSeconds(30);
    private static final int ACCOUNTS = 100_000;
    private static final int TELLERS = 10;
    private static final int ROWS_PER_COPY = 20_000;

    private static final List<String> PROGRAMS =
            List.of("/usr/lib/postgresql/15/bin/pgbench", "/usr/bin/pgbench");

    private static final Pattern RATE = Pattern.compile("(?m)^tps = ([0-9.]+)");
    private static final Pattern FAILED =
            Pattern.compile("number of failed transactions: ([0-9]+)");

    private final SqlServers servers;
    private final int scale;
    private final Path program;

    /** A script that is built into pgbench. */
    private enum Script {
        SELECT_ONLY("select-only", "-S", 0.5),
        SIMPLE_UPDATE("simple-update", "-N", 0.7),
        TPC_B("TPC-B", "-btpcb-like", 0);

        private final String title;
        private final String flag;
        private final double target;

        Script(String title, String flag, double target) {
            this.title = title;
            this.flag = flag;
            this.target = target;
        }
    }

    /**
     * @param scale hundred thousands of accounts
     */
    Pgbench(SqlServers servers, int scale) {
        this.servers = servers;
        this.scale = scale;
        this.program =
                PROGRAMS.stream()
                        .map(Path::of)
                        .filter(Files::isExecutable)
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        PetrichorException.invalid(
                                                "pgbench is not installed; install"
                                                        + " postgresql-contrib, or leave it out"
                                                        + " with --only"));
    }

    void measure(
            Report report,
            List<String> modes,
            List<Integer> clients,
            int rounds,
            Duration length,
            Progress progress)
            throws Exception {
        List<SqlEndpoint> both = List.of(servers.petrichor(), servers.postgres());
        for (SqlEndpoint server : both) {
            load(server, progress);
        }
        for (Script script : Script.values()) {
            for (String mode : modes) {
                for (int count : clients) {
                    Contest contest = contest(script, mode, count, both);
                    report.add(contest.run(rounds, length, progress));
                }
            }
        }
    }

    private Contest contest(Script script, String mode, int clients, List<SqlEndpoint> servers) {
        List<Contender> contenders = new ArrayList<>();
        for (SqlEndpoint server : servers) {
            contenders.add(
                    new Contender(
                            server.name(),
                            length -> run(server, script, mode, clients, length),
                            server.cpu()));
        }
        String clientsText = clients + (clients == 1 ? " client" : " clients");
        return new Contest(
                "pgbench " + script.title + ", " + mode + ", " + clientsText,
                servers.getFirst().name(),
                contenders,
                script.target == 0 ? Map.of() : Map.of(servers.getLast().name(), script.target));
    }

    private void load(SqlEndpoint server, Progress progress) throws Exception {
        run(server, Duration.ZERO, List.of("-i", "-I", "dtp", "-s", "" + scale));
        try (Connection connection = server.connect()) {
            CopyRows rows = new CopyRows(connection, ROWS_PER_COPY);
            rows.begin("pgbench_branches (bid, bbalance)");
            for (int i = 1; i <= scale; i++) {
                rows.add(i, 0);
            }
            rows.begin("pgbench_tellers (tid, bid, tbalance)");
            for (int i = 0; i < scale * TELLERS; i++) {
                rows.add(i + 1, i / TELLERS + 1, 0);
            }
            rows.begin("pgbench_accounts (aid, bid, abalance, filler)");
            for (int i = 0; i < scale * ACCOUNTS; i++) {
                if (i % ROWS_PER_COPY == 0) {
                    progress.say(server + ": loading account " + i);
                }
                rows.add(i + 1, i / ACCOUNTS + 1, 0, "");
            }
            rows.end();
            analyze(connection);
        }
    }

    private static void analyze(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ANALYZE");
        }
    }

    private Sample run(SqlEndpoint server, Script script, String mode, int clients, Duration length)
            throws IOException, InterruptedException {
        // With one thread per client, the load generator would compete with itself.
        int threads = Math.min(clients, 2);
        long seconds = Math.max(1, length.toSeconds());
        List<String> flags =
                List.of(
                        "-n",
                        script.flag,
                        "-M",
                        mode,
                        "-c",
                        "" + clients,
                        "-j",
                        "" + threads,
                        "-T",
                        "" + seconds,
                        "--max-tries",
                        "" + TRIES_MAX);
        String output = run(server, length, flags);
        if (!number(FAILED, output).equals("0")) {
            throw new IllegalStateException("pgbench reports failed transactions:\n" + output);
        }
        return Sample.ofRate(Double.parseDouble(number(RATE, output)));
    }

    private String run(SqlEndpoint server, Duration length, List<String> flags)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString(), "-h", SqlEndpoint.HOST));
        command.addAll(List.of("-p", "" + server.port(), "-U", server.user()));
        command.addAll(flags);
        command.add(server.database());
        Path log = Files.createTempFile("petrichor-bench-", ".log");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile());
            builder.environment().put("PGPASSWORD", server.password());
            builder.environment().put("PGOPTIONS", "-c default_transaction_isolation=serializable");
            Process process = builder.start();
            Duration limit = length.plus(ENDS_WITHIN);
            boolean ended = process.waitFor(limit);
            if (!ended) {
                process.destroyForcibly();
            }
            String output = Files.readString(log, StandardCharsets.UTF_8);
            if (!ended || process.exitValue() != 0) {
                throw new IllegalStateException(
                        String.format(
                                Locale.ROOT,
                                "pgbench %s at %s, within %d s:%n%s",
                                ended ? "failed" : "did not end",
                                server.name(),
                                limit.toSeconds(),
                                output));
            }
            return output;
        } finally {
            Files.deleteIfExists(log);
        }
    }

    private static String number(Pattern pattern, String output) {
        Matcher matcher = pattern.matcher(output);
        if (!matcher.find()) {
            throw new IllegalStateException("pgbench reported no " + pattern + ":\n" + output);
        }
        return matcher.group(1);
    }
}
