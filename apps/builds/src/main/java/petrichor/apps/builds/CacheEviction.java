package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import petrichor.base.TimeSource;

/**
 * Keeps the cache below its limit: removes the least recently used builds, layers, sources and
 * downloads. Never removes what a running build uses, what was used in the last minutes, a build
 * that is deployed, or a layer of a build that is in the cache. Thread-safe.
 */
final class CacheEviction {
    /** A build is deployed soon after it is done. */
    static final Duration GRACE = Duration.ofMinutes(10);

    /** Layers of a build, separated by spaces. */
    static final String LAYERS = "layers";

    private static final String DOWNLOADS_BYTES = "downloads.bytes";

    private final Path sources;
    private final Path apps;
    private final Path trash;
    private final CacheUses uses;
    private final BuildSettings settings;
    private final AtomicLong trashed = new AtomicLong();

    private record Entry(Path path, long bytes, long usedMicros, Set<Path> layers) {}

    CacheEviction(Path sources, Path apps, Path trash, CacheUses uses, BuildSettings settings) {
        this.sources = sources;
        this.apps = apps;
        this.trash = trash;
        this.uses = uses;
        this.settings = settings;
    }

    /** Records the size of an app's downloads. */
    static void measureDownloads(AppFolders.AppFolder app, TimeSource time) throws IOException {
        Path record = app.folder().resolve(DOWNLOADS_BYTES);
        long bytes = FileTrees.extent(app.downloads(), true).bytes();
        Path _ = Files.writeString(record, String.valueOf(bytes), UTF_8);
        FileTrees.touch(record, time.epochMicros());
    }

    /** Bytes in the cache. */
    long bytes() throws IOException {
        return entries().stream().mapToLong(Entry::bytes).sum();
    }

    synchronized void run() throws IOException {
        List<Entry> entries = entries();
        long bytes = entries.stream().mapToLong(Entry::bytes).sum();
        if (bytes <= settings.limits().cacheBytesMax()) {
            return;
        }
        Set<String> deployed = settings.deployed().get();
        long usedMax =
                settings.time().epochMicros() - TimeUnit.NANOSECONDS.toMicros(GRACE.toNanos());
        entries.sort(Comparator.comparingLong(Entry::usedMicros));
        List<Entry> left = new ArrayList<>(entries);
        // An evicted build releases its layers: a second pass may remove them.
        for (boolean progress = true; progress; ) {
            progress = false;
            for (Entry entry : List.copyOf(left)) {
                if (bytes <= settings.limits().cacheBytesMax()) {
                    return;
                }
                if (entry.usedMicros() < usedMax
                        && !deployed.contains(entry.path().getFileName().toString())
                        && !isReferenced(entry.path(), left)
                        && remove(entry.path())) {
                    bytes -= entry.bytes();
                    boolean _ = left.remove(entry);
                    progress = true;
                }
            }
        }
    }

    private static boolean isReferenced(Path path, List<Entry> entries) {
        return entries.stream().anyMatch(entry -> entry.layers().contains(path));
    }

    private boolean remove(Path path) throws IOException {
        Path to = trash.resolve(String.valueOf(trashed.incrementAndGet()));
        if (!uses.remove(path, to)) {
            return false;
        }
        FileTrees.delete(to);
        Path record = path.resolveSibling(DOWNLOADS_BYTES);
        boolean _ = Files.deleteIfExists(record);
        return true;
    }

    private List<Entry> entries() throws IOException {
        List<Entry> entries = new ArrayList<>();
        addTrees(sources, entries);
        if (Files.isDirectory(apps)) {
            try (Stream<Path> folders = Files.list(apps)) {
                for (Path app : (Iterable<Path>) folders::iterator) {
                    addTrees(app.resolve(AppFolders.AppFolder.LAYERS), entries);
                    addTrees(app.resolve(AppFolders.AppFolder.BUILDS), entries);
                    addDownloads(app, entries);
                }
            }
        }
        return entries;
    }

    private static void addTrees(Path store, List<Entry> entries) throws IOException {
        if (!Files.isDirectory(store)) {
            return;
        }
        try (Stream<Path> trees = Files.list(store)) {
            for (Path tree : (Iterable<Path>) trees::iterator) {
                Path marker = tree.resolve(TreeStore.COMPLETE);
                try {
                    Map<String, String> properties = TreeStore.read(marker);
                    entries.add(
                            new Entry(
                                    tree,
                                    Long.parseLong(
                                            properties.getOrDefault(TreeStore.OWN_BYTES, "0")),
                                    used(marker),
                                    layers(store, properties)));
                } catch (NoSuchFileException incompleteOrRemoved) {
                    // Nothing to evict.
                }
            }
        }
    }

    private static Set<Path> layers(Path store, Map<String, String> properties) {
        Set<Path> layers = new HashSet<>();
        for (String key : properties.getOrDefault(LAYERS, "").split(" ", -1)) {
            if (!key.isEmpty()) {
                layers.add(store.resolveSibling(AppFolders.AppFolder.LAYERS).resolve(key));
            }
        }
        return layers;
    }

    private static void addDownloads(Path app, List<Entry> entries) throws IOException {
        Path record = app.resolve(DOWNLOADS_BYTES);
        if (Files.exists(record)) {
            entries.add(
                    new Entry(
                            app.resolve(AppFolders.AppFolder.DOWNLOADS),
                            Long.parseLong(Files.readString(record, UTF_8)),
                            used(record),
                            Set.of()));
        }
    }

    private static long used(Path marker) throws IOException {
        return Files.getLastModifiedTime(marker).to(TimeUnit.MICROSECONDS);
    }
}
