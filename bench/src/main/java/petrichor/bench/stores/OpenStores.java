package petrichor.bench.stores;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import petrichor.bench.Progress;
import petrichor.bench.StartedStore;
import petrichor.bench.TemporaryFolder;
import petrichor.bench.drivers.RawRows;
import petrichor.kv.StoreUrl;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.server.data.StorePlugins;
import petrichor.transactions.TransactionLimits;

/**
 * The stores of a run: the embedded one, those named by the user, and those started for the run.
 */
final class OpenStores implements AutoCloseable {
    static final String EMBEDDED = "embedded";
    static final String MEMORY = "memory";

    /** An address may contain commas itself, between its nodes. */
    private static final Pattern BETWEEN =
            Pattern.compile(",(?=[a-z][a-z0-9+.-]*://|(?:embedded|memory)(?:,|$))");

    private final StorePlugins plugins = StorePlugins.installed();
    private final List<OpenStore> all = new ArrayList<>();
    private final List<StartedStore> started = new ArrayList<>();
    private final List<DriverLoader> drivers = new ArrayList<>();

    /** Stores that are deleted with their server or folder: nothing has to be removed from them. */
    private final Set<OpenStore> wiped = new HashSet<>();

    private final TransactionLimits limits;

    private OpenStores(TransactionLimits limits) {
        this.limits = limits;
    }

    static OpenStores open(
            String named, List<String> toStart, TemporaryFolder folder, Progress progress) {
        return open(named, toStart, TransactionLimits.DEFAULT, folder, progress);
    }

    /** Opens all of them, or none: failures to open are reported before anything is measured. */
    static OpenStores open(
            String named,
            List<String> toStart,
            TransactionLimits limits,
            TemporaryFolder folder,
            Progress progress) {
        // Log messages of drivers are not part of the findings.
        Logger.getLogger("").setLevel(Level.WARNING);
        OpenStores opened = new OpenStores(limits);
        try {
            OpenStore embedded =
                    OpenStore.on(EMBEDDED, RocksStore.open(folder.path(EMBEDDED)), limits);
            opened.all.add(embedded);
            opened.wiped.add(embedded);
            for (String one : words(named)) {
                if (one.equals(MEMORY)) {
                    opened.all.add(OpenStore.on(MEMORY, MemoryStore.open(), limits));
                } else if (!one.equals(EMBEDDED)) {
                    progress.say("opening " + one);
                    opened.add(StoreUrl.parse(one));
                }
            }
            for (String one : toStart) {
                StartedStore server =
                        StartedStore.start(
                                one,
                                opened.plugins,
                                folder.path("server-" + opened.started.size()),
                                progress);
                opened.started.add(server);
                opened.wiped.add(opened.add(server.url()));
            }
            return opened;
        } catch (RuntimeException | Error failed) {
            opened.close();
            throw failed;
        }
    }

    static List<String> words(String named) {
        return named.isBlank() ? List.of() : List.of(BETWEEN.split(named));
    }

    private OpenStore add(StoreUrl url) {
        OpenStore store = OpenStore.on(nameFor(url), Optional.of(url), plugins.open(url), limits);
        all.add(store);
        return store;
    }

    /** The scheme is sufficient as long as it is unique. */
    private String nameFor(StoreUrl url) {
        boolean taken = all.stream().anyMatch(one -> one.name().equals(url.scheme()));
        return taken ? url.toString() : url.scheme();
    }

    /** Rows by the bare driver of a store; empty if there is none to compare with. */
    Optional<RawRows> rawRows(OpenStore store) {
        return store.url().flatMap(this::rawRows);
    }

    private Optional<RawRows> rawRows(StoreUrl url) {
        DriverLoader driver = new DriverLoader(plugins.driver(url));
        drivers.add(driver);
        return driver.open(url);
    }

    List<OpenStore> all() {
        return List.copyOf(all);
    }

    /** A store that fails on close must not lose the results. */
    @Override
    public void close() {
        all.stream().filter(store -> !wiped.contains(store)).forEach(OpenStores::clean);
        all.reversed().forEach(store -> attempt("close " + store.name(), store::close));
        started.reversed().forEach(server -> attempt("stop " + server.url(), server::close));
        drivers.forEach(driver -> attempt("unload a driver", driver::close));
    }

    private static void clean(OpenStore store) {
        attempt(
                "remove the database " + store.calls().project() + " from " + store.name(),
                store::drop);
    }

    private static void attempt(String what, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException failed) {
            System.err.println("could not " + what + ": " + failed.getMessage());
        }
    }
}
