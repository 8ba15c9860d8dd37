package petrichor.bench.stores;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.TemporaryFolder;
import petrichor.bench.drivers.RawRows;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code petrichor bench transactions}: the cost of transactions over a store, and of a peer's. */
@Command(
        name = "transactions",
        description =
                "Measure transactions over datastores against the stores' bare drivers, their own"
                        + " serializable transactions and ScalarDB.",
        mixinStandardHelpOptions = true)
public final class TransactionsCommand implements Callable<Integer> {
    private static final String DRIVER = "driver";
    private static final String TRANSFERS = "transfers";

    @Option(names = "--stores", description = "Addresses of running stores, as for `bench stores`.")
    String stores = "";

    @Option(
            names = "--start",
            split = ",",
            description = "Stores to start for this run and wipe after it, such as postgresql.")
    List<String> start = new ArrayList<>();

    @Option(
            names = "--only",
            split = ",",
            description = "Parts to run: " + DRIVER + ", " + TRANSFERS + ". Default: all.")
    List<String> only = new ArrayList<>();

    @Option(
            names = "--rounds",
            defaultValue = "5",
            description = "Counted rounds (${DEFAULT-VALUE}).")
    int rounds = 5;

    @Option(
            names = "--seconds",
            defaultValue = "1",
            description = "Length of one round in seconds (${DEFAULT-VALUE}).")
    double seconds = 1;

    @Option(
            names = "--peers",
            description =
                    "Folder created by bench/peers/install; without it no peers are measured.")
    @Nullable Path peers;

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for CSV and SVG (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Override
    public Integer call() throws Exception {
        for (String part : only) {
            if (!List.of(DRIVER, TRANSFERS).contains(part)) {
                throw PetrichorException.invalid(
                        "--only knows " + DRIVER + " and " + TRANSFERS + ", not " + part);
            }
        }
        Duration length = Duration.ofNanos((long) (seconds * 1e9));
        Progress progress = Progress.onTerminal(System.err);
        Report report = new Report();
        try (TemporaryFolder folder = new TemporaryFolder();
                OpenStores opened = OpenStores.open(stores, start, folder, progress)) {
            for (OpenStore store : opened.all()) {
                try {
                    if (wanted(DRIVER)) {
                        besideTheDriver(report, opened, store, folder, length, progress);
                    }
                    if (wanted(TRANSFERS)) {
                        transfers(report, store, folder, length, progress);
                    }
                } catch (RuntimeException failed) {
                    // The other stores are still measured. Bare drivers fail in their own ways.
                    report.note(store.name() + " was not measured to the end: " + reason(failed));
                }
                // A user who interrupts the run at a slow store keeps the results of the others.
                report.write(out, "transactions");
            }
            progress.done();
            report.print(System.out);
        }
        return report.allMet() ? 0 : 1;
    }

    private boolean wanted(String part) {
        return only.isEmpty() || only.contains(part);
    }

    private static String reason(RuntimeException failed) {
        Throwable cause = failed.getCause();
        return failed.getMessage() + (cause == null ? "" : " (" + cause.getMessage() + ")");
    }

    private void besideTheDriver(
            Report report,
            OpenStores opened,
            OpenStore store,
            TemporaryFolder folder,
            Duration length,
            Progress progress)
            throws Exception {
        Optional<RawRows> raw =
                store.name().equals(OpenStores.EMBEDDED)
                        ? Optional.of(new RocksRawRows(folder.path("raw")))
                        : opened.rawRows(store);
        if (raw.isEmpty()) {
            report.note(store.name() + " offers no bare driver to compare with");
            return;
        }
        try (RawRows rows = raw.get()) {
            new DriverComparison(store, rows).measure(report, rounds, length, progress);
        }
    }

    private void transfers(
            Report report,
            OpenStore store,
            TemporaryFolder folder,
            Duration length,
            Progress progress)
            throws Exception {
        Map<String, Map<String, String>> known = new LinkedHashMap<>();
        store.url().flatMap(TransferPeer::sql).ifPresent(how -> known.put(Transferring.SQL, how));
        store.url()
                .flatMap(TransferPeer::scalarDb)
                .ifPresent(how -> known.put(Transferring.SCALAR_DB, how));
        if (!known.isEmpty() && (peers == null || !TransferPeer.installedIn(peers))) {
            report.note(
                    String.join(" and ", known.keySet())
                            + " were not measured on "
                            + store.name()
                            + ": install them with bench/peers/install DIR, name DIR with"
                            + " --peers");
            known.clear();
        }
        List<TransferPeer> started = new ArrayList<>();
        try {
            for (Map.Entry<String, Map<String, String>> one : known.entrySet()) {
                progress.say("starting " + one.getKey() + ": " + store.name());
                started.add(
                        TransferPeer.start(
                                one.getKey(),
                                Objects.requireNonNull(peers),
                                one.getValue(),
                                folder.path()));
            }
            new Transferring(store.name(), new Accounts(store.rows()), started)
                    .measure(report, rounds, length, progress);
        } finally {
            started.forEach(TransferPeer::close);
        }
    }
}
