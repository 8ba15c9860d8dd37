package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;

/**
 * A folder of immutable trees, each under a key: {@code KEY/content} beside {@code KEY/complete},
 * which lists the tree's extent and properties. A tree is published by renaming a complete folder,
 * so that a crash leaves either all of it or only a temporary folder, which the next start removes.
 * The data of its files is not forced to disk: after a power failure, the recorded extent reveals a
 * truncated tree, which then counts as missing.
 *
 * <p>The modification time of {@code complete} is the time of last use, for evictions. Thread-safe;
 * one process per folder.
 */
final class TreeStore {
    static final String COMPLETE = "complete";
    static final String CONTENT = "content";
    static final String TEMPORARY = ".tmp-";

    private static final String FILES = "files";
    private static final String ALL_BYTES = "bytes-all";

    /** Bytes that an eviction of the tree frees: without those shared with other trees. */
    static final String OWN_BYTES = "bytes";

    private final Path folder;
    private final CacheUses uses;
    private final TimeSource time;
    private final AtomicLong temporaries = new AtomicLong();
    private final Set<String> verified = ConcurrentHashMap.newKeySet();
    private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();

    /**
     * @param folder exists
     */
    TreeStore(Path folder, CacheUses uses, TimeSource time) {
        this.folder = folder;
        this.uses = uses;
        this.time = time;
    }

    /** A published tree. */
    record Tree(Path content, Map<String, String> properties) {
        Tree {
            properties = Map.copyOf(properties);
        }
    }

    /** The entry of a key, which exists or may exist in the future. */
    Path entry(String key) {
        return folder.resolve(key);
    }

    /** Where a tree's content is found once it is published. */
    Path content(String key) {
        return entry(key).resolve(CONTENT);
    }

    /** Serializes the makers of one tree; the second finds what the first published. */
    ReentrantLock lock(String key) {
        return locks.computeIfAbsent(key, _ -> new ReentrantLock());
    }

    /** Keeps the tree of this key from eviction. */
    CacheUses.Use use(String key) {
        return uses.of(entry(key));
    }

    /** The tree, if it is complete; the caller holds a {@link #use}. Counts as its last use. */
    Optional<Tree> find(String key) throws IOException {
        Path marker = entry(key).resolve(COMPLETE);
        if (!Files.exists(marker)) {
            return Optional.empty();
        }
        Map<String, String> properties = read(marker);
        if (verified.add(key) && !isComplete(key, properties)) {
            boolean _ = verified.remove(key);
            FileTrees.delete(entry(key));
            return Optional.empty();
        }
        FileTrees.touch(marker, time.epochMicros());
        return Optional.of(new Tree(content(key), properties));
    }

    private boolean isComplete(String key, Map<String, String> properties) throws IOException {
        FileTrees.Extent extent = FileTrees.extent(content(key), true);
        return String.valueOf(extent.files()).equals(properties.get(FILES))
                && String.valueOf(extent.bytes()).equals(properties.get(ALL_BYTES));
    }

    /** A new name in this folder for a tree that is being made. */
    Path temporary() {
        return folder.resolve(TEMPORARY + temporaries.incrementAndGet());
    }

    /**
     * Moves a sealed tree of the same file system to its place.
     *
     * @param reader whose group may read the tree; null for the server's user only
     */
    Tree publish(String key, Path tree, Map<String, String> properties, @Nullable BuildUser reader)
            throws IOException {
        Map<String, String> all = new TreeMap<>(properties);
        FileTrees.Extent extent = FileTrees.extent(tree, true);
        all.put(FILES, String.valueOf(extent.files()));
        all.put(ALL_BYTES, String.valueOf(extent.bytes()));
        all.put(OWN_BYTES, String.valueOf(FileTrees.extent(tree, false).bytes()));
        Path temporary = temporary();
        Path _ = Files.createDirectory(temporary);
        Path _ = Files.move(tree, temporary.resolve(CONTENT), StandardCopyOption.ATOMIC_MOVE);
        Path marker = temporary.resolve(COMPLETE);
        write(marker, all);
        FileTrees.touch(marker, time.epochMicros());
        if (reader != null) {
            FileTrees.setOwner(temporary, 0, reader.gid());
        }
        FileTrees.setMode(temporary, reader == null ? FileTrees.OWNER_ONLY : 0710);
        FileTrees.sync(marker);
        FileTrees.sync(temporary);
        Path entry = entry(key);
        FileTrees.delete(entry);
        Path _ = Files.move(temporary, entry, StandardCopyOption.ATOMIC_MOVE);
        FileTrees.sync(folder);
        boolean _ = verified.add(key);
        return new Tree(content(key), all);
    }

    static Map<String, String> read(Path marker) throws IOException {
        Properties properties = new Properties();
        try (BufferedReader reader = Files.newBufferedReader(marker)) {
            properties.load(reader);
        } catch (IllegalArgumentException damaged) {
            return Map.of();
        }
        Map<String, String> read = new TreeMap<>();
        properties.forEach((name, value) -> read.put(name.toString(), value.toString()));
        return read;
    }

    private static void write(Path marker, Map<String, String> properties) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, String> property : properties.entrySet()) {
            text.append(escaped(property.getKey()))
                    .append('=')
                    .append(escaped(property.getValue()))
                    .append('\n');
        }
        Path _ = Files.writeString(marker, text, UTF_8);
        FileTrees.setMode(marker, 0600);
    }

    /** As Properties reads it; that class's own writer adds the date. */
    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > ' ' && c < 0x7F && "\\=:#!".indexOf(c) < 0) {
                escaped.append(c);
            } else {
                escaped.append("\\u").append(String.format("%04x", (int) c));
            }
        }
        return escaped.toString();
    }
}
