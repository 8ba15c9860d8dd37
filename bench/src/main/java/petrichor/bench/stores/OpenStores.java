package petrichor.bench.stores;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import petrichor.bench.Progress;
import petrichor.bench.TemporaryFolder;
import petrichor.kv.RawRows;
import petrichor.kv.StoreUrl;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.server.StorePlugins;

/** The stores of a run: the embedded one, those that were named, those that were started for it. */
final class OpenStores implements AutoCloseable {
    static final String EMBEDDED = "embedded";
    static final String MEMORY = "memory";

    /** An address may hold commas itself, between its nodes. */
    private static final Pattern BETWEEN =
            Pattern.compile(",(?=[a-z][a-z0-9+.-]*://|(?:embedded|memory)(?:,|$))");

    private final StorePlugins plugins = StorePlugins.installed();
    private final List<OpenStore> all = new ArrayList<>();
    private final List<StartedStore> started = new ArrayList<>();

    private OpenStores() {}

    /** All of them, or none: what cannot be opened is told before anything is measured. */
    static OpenStores open(
            String named, List<String> toStart, TemporaryFolder folder, Progress progress) {
        OpenStores opened = new OpenStores();
        try {
            opened.all.add(OpenStore.on(EMBEDDED, RocksStore.open(folder.path(EMBEDDED))));
            for (String one : words(named)) {
                if (one.equals(MEMORY)) {
                    opened.all.add(OpenStore.on(MEMORY, MemoryStore.open()));
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
                opened.add(server.url());
            }
            return opened;
        } catch (RuntimeException failed) {
            opened.close();
            throw failed;
        }
    }

    static List<String> words(String named) {
        return named.isBlank() ? List.of() : List.of(BETWEEN.split(named));
    }

    private void add(StoreUrl url) {
        all.add(OpenStore.on(nameFor(url), Optional.of(url), plugins.open(url)));
    }

    /** The scheme says enough as long as there is one store of it. */
    private String nameFor(StoreUrl url) {
        boolean taken = all.stream().anyMatch(one -> one.name().equals(url.scheme()));
        return taken ? url.toString() : url.scheme();
    }

    /** Rows by the bare driver of one of them; empty if its plugin offers none. */
    Optional<RawRows> rawRows(OpenStore store) {
        return store.url().flatMap(plugins::rawRows);
    }

    List<OpenStore> all() {
        return List.copyOf(all);
    }

    @Override
    public void close() {
        List<AutoCloseable> closing = new ArrayList<>(started);
        closing.addAll(all);
        RuntimeException first = null;
        for (AutoCloseable one : closing.reversed()) {
            try {
                one.close();
            } catch (RuntimeException failed) {
                first = first == null ? failed : first;
            } catch (Exception impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
