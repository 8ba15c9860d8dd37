package petrichor.bench.sql;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import petrichor.base.PetrichorException;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.TemporaryFolder;
import petrichor.bench.sql.tpcc.TpccBenchmark;
import petrichor.bench.sql.tpcc.TpccScale;
import petrichor.bench.sql.tpch.TpchBenchmark;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code petrichor bench sql}: SQL compared with PostgreSQL 15 and DuckDB in the same run. */
@Command(
        name = "sql",
        description = "Measure SQL beside PostgreSQL 15 and DuckDB.",
        mixinStandardHelpOptions = true)
public final class SqlCommand implements Callable<Integer> {
    private static final String PGBENCH = "pgbench";
    private static final String TPCC = "tpcc";
    private static final String LAYERS = "layers";
    private static final String TPCH = "tpch";
    private static final List<String> PARTS = List.of(PGBENCH, TPCC, LAYERS, TPCH);

    @Option(
            names = "--only",
            split = ",",
            description = "Parts to run: pgbench, tpcc, layers, tpch. Default: all.")
    List<String> only = new ArrayList<>();

    @Option(
            names = "--rounds",
            defaultValue = "5",
            description = "Counted rounds (${DEFAULT-VALUE}).")
    int rounds = 5;

    @Option(
            names = "--seconds",
            defaultValue = "3",
            description = "Length of one round in seconds (${DEFAULT-VALUE}).")
    int seconds = 3;

    @Option(
            names = "--clients",
            split = ",",
            defaultValue = "1,8",
            description = "Numbers of concurrent clients (${DEFAULT-VALUE}).")
    List<Integer> clients = List.of(1, 8);

    @Option(
            names = "--modes",
            split = ",",
            defaultValue = "prepared,extended,simple",
            description = "Protocols of pgbench (${DEFAULT-VALUE}).")
    List<String> modes = List.of("prepared", "extended", "simple");

    @Option(
            names = "--scale",
            defaultValue = "10",
            description = "Hundred thousands of accounts of pgbench (${DEFAULT-VALUE}).")
    int scale = 10;

    @Option(
            names = "--warehouses",
            split = ",",
            defaultValue = "1,10",
            description = "Sizes of TPC-C (${DEFAULT-VALUE}).")
    List<Integer> warehouses = List.of(1, 10);

    @Option(
            names = "--tpch-scale",
            defaultValue = "1",
            description = "Size of TPC-H in gigabytes (${DEFAULT-VALUE}).")
    double tpchScale = 1;

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for CSV and SVG (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Override
    public Integer call() throws Exception {
        for (String part : only) {
            if (!PARTS.contains(part)) {
                throw PetrichorException.invalid(
                        "--only knows " + String.join(", ", PARTS) + ", not " + part);
            }
        }
        Duration length = Duration.ofSeconds(seconds);
        Progress progress = Progress.onTerminal(System.err);
        boolean allMet = true;
        for (String part : PARTS) {
            if (!only.isEmpty() && !only.contains(part)) {
                continue;
            }
            Report report = new Report();
            switch (part) {
                case PGBENCH -> pgbench(report, length, progress);
                case TPCH -> tpch(report, length, progress);
                case LAYERS -> LayerCost.measure(report, rounds, length, progress);
                default -> tpcc(report, length, progress);
            }
            progress.done();
            report.print(System.out);
            report.write(out, "sql-" + part);
            allMet &= report.allMet();
        }
        return allMet ? 0 : 1;
    }

    private void pgbench(Report report, Duration length, Progress progress) throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder();
                SqlServers servers = SqlServers.start(folder, progress)) {
            new Pgbench(servers, scale).measure(report, modes, clients, rounds, length, progress);
        }
    }

    private void tpch(Report report, Duration length, Progress progress) throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder();
                PetrichorServer server = PetrichorServer.start(folder)) {
            new TpchBenchmark(
                            server.endpoint(),
                            server::cpu,
                            tpchScale,
                            folder.path(TPCH),
                            report,
                            progress)
                    .measure(rounds, length);
        }
    }

    private void tpcc(Report report, Duration length, Progress progress) throws Exception {
        for (int count : warehouses) {
            try (TemporaryFolder folder = new TemporaryFolder();
                    SqlServers servers = SqlServers.start(folder, progress)) {
                new TpccBenchmark(servers.petrichor(), servers.postgres(), TpccScale.full(count))
                        .measure(report, clients, rounds, length, progress);
            }
        }
    }
}
