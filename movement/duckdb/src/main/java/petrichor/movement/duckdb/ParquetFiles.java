package petrichor.movement.duckdb;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.movement.backups.BackupTarget;
import petrichor.rpc.v1.ReplicaStatus;

/**
 * The tables of a replica as Parquet files in a folder or bucket: one file per table, which is
 * written again when the table has changed, and {@code manifest.json}, which names the files of one
 * position. It is replaced last, so a reader of the manifest sees whole transactions; the files of
 * the manifest before it are kept for readers that have read that one.
 *
 * <p>{@code petrichor-files.json} says which source the folder belongs to, and names every file
 * before it is written: only these are deleted. Confined to one thread.
 */
public final class ParquetFiles {
    public static final String MANIFEST = "manifest.json";

    static final String OWN_FILES = "petrichor-files.json";

    private static final String SUFFIX = ".parquet";
    private static final String LINEAGE = "lineage";
    private static final String FILES = "files";

    /** Of a table in the name of its folder. */
    private static final int NAME_MAX = 60;

    private static final int HASH_DIGITS = 16;

    /** At most about this part of the time is spent writing files. */
    private static final int TIME_SHARE = 10;

    private final BackupTarget target;
    private final Path temporary;
    private @Nullable JsonObject manifest;
    private @Nullable Set<String> own;
    private long publishedNanos;
    private long tookNanos;
    private boolean published;

    /**
     * @param temporary a file name for what is uploaded
     */
    public ParquetFiles(BackupTarget target, Path temporary) {
        this.target = target;
        this.temporary = temporary;
    }

    /** FAILED_PRECONDITION if the folder has files of something else. */
    void requireOwn(String lineage) {
        var _ = own(lineage);
    }

    /** Writes what has changed since the last time, unless that was just now. */
    void publish(DuckFile file, ReplicaStatus status, Duration interval) {
        long wait = Math.max(interval.toNanos(), TIME_SHARE * tookNanos);
        if (published && System.nanoTime() - publishedNanos < wait) {
            return;
        }
        JsonObject former = former();
        if (former.has("position")
                && former.get("position").getAsString().equals(position(status))
                && former.get("stream").getAsString().equals(status.getStream())) {
            return;
        }
        long start = System.nanoTime();
        try {
            write(file, status, former);
        } finally {
            tookNanos = System.nanoTime() - start;
            publishedNanos = System.nanoTime();
            published = true;
        }
    }

    private static String position(ReplicaStatus status) {
        return Long.toString(status.getPosition());
    }

    /** Empty if there is none. */
    private JsonObject former() {
        JsonObject known = manifest;
        if (known == null) {
            known = read(MANIFEST);
            manifest = known;
        }
        return known;
    }

    /** Empty if there is none. */
    private JsonObject read(String name) {
        try (InputStream in = target.read(name)) {
            return JsonParser.parseString(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .getAsJsonObject();
        } catch (IOException failed) {
            throw unwritable(failed);
        } catch (JsonParseException | IllegalStateException malformed) {
            throw foreign("its " + name + " has another form");
        } catch (PetrichorException failed) {
            if (failed.code() == ErrorCode.NOT_FOUND) {
                return new JsonObject();
            }
            throw failed;
        }
    }

    private void write(String name, JsonObject content) {
        try (BackupTarget.Upload upload = target.write(name)) {
            upload.stream().write(content.toString().getBytes(StandardCharsets.UTF_8));
            upload.complete();
        } catch (IOException failed) {
            throw unwritable(failed);
        }
    }

    /** Files of this source that may exist. FAILED_PRECONDITION if the folder is not its own. */
    private Set<String> own(String lineage) {
        Set<String> known = own;
        if (known == null) {
            known = new TreeSet<>();
            JsonObject stored = read(OWN_FILES);
            if (!stored.has(LINEAGE)) {
                for (String name : target.list("")) {
                    if (name.equals(MANIFEST) || name.endsWith(SUFFIX)) {
                        throw foreign("it has other files, such as " + name);
                    }
                }
            } else if (!stored.get(LINEAGE).getAsString().equals(lineage)) {
                throw foreign("it belongs to the replica of another database");
            } else {
                for (JsonElement name : stored.getAsJsonArray(FILES)) {
                    known.add(name.getAsString());
                }
            }
            own = known;
        }
        return known;
    }

    private PetrichorException foreign(String reason) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "Parquet files cannot be written to {target}: {reason}. Name an empty folder or"
                        + " prefix in the file of targets.",
                "target",
                target,
                "reason",
                reason);
    }

    private void write(DuckFile file, ReplicaStatus status, JsonObject former) {
        String lineage = status.getLeadership().getLineage();
        Set<String> owned = own(lineage);
        boolean same =
                former.has("stream")
                        && former.get("stream").getAsString().equals(status.getStream());
        Map<String, JsonObject> present = new HashMap<>();
        Set<String> kept = new HashSet<>();
        if (former.has("tables")) {
            for (JsonElement element : former.getAsJsonArray("tables")) {
                JsonObject table = element.getAsJsonObject();
                present.put(table.get("id").getAsString(), table);
                kept.add(table.get("file").getAsString());
            }
        }
        Map<String, Long> changed = new HashMap<>();
        var _ =
                file.query(
                        "SELECT id, changed FROM petrichor.tables",
                        row -> changed.put(row.getString(1), row.getLong(2)));
        List<CopyTable> all = CopyCatalog.read(file).all();
        Map<String, String> files = new HashMap<>();
        for (CopyTable table : all) {
            JsonObject known = present.get(table.id());
            boolean current =
                    same
                            && known != null
                            && known.get("changed").getAsLong()
                                    == changed.getOrDefault(table.id(), 0L);
            files.put(
                    table.id(),
                    current && known != null
                            ? known.get("file").getAsString()
                            : folder(table) + "/" + position(status) + SUFFIX);
        }
        if (owned.addAll(files.values()) || former.isEmpty()) {
            JsonObject stored = new JsonObject();
            stored.addProperty(LINEAGE, lineage);
            JsonArray names = new JsonArray();
            owned.forEach(names::add);
            stored.add(FILES, names);
            write(OWN_FILES, stored);
        }
        JsonArray tables = new JsonArray();
        for (CopyTable table : all) {
            String name = Objects.requireNonNull(files.get(table.id()));
            JsonObject known = present.get(table.id());
            tables.add(
                    same && known != null && known.get("file").getAsString().equals(name)
                            ? known
                            : written(file, table, changed.getOrDefault(table.id(), 0L), name));
        }
        kept.addAll(files.values());
        JsonObject next = new JsonObject();
        next.addProperty("format", 1);
        next.addProperty("source", status.getSource());
        next.addProperty("stream", status.getStream());
        next.addProperty("position", position(status));
        next.addProperty("time", Instant.EPOCH.plusNanos(status.getPosition() * 1_000).toString());
        next.add("tables", tables);
        write(MANIFEST, next);
        manifest = next;
        for (String name : List.copyOf(owned)) {
            if (!kept.contains(name)) {
                target.delete(name);
                owned.remove(name);
            }
        }
    }

    private JsonObject written(DuckFile file, CopyTable table, long changed, String name) {
        file.run(
                "COPY (SELECT * EXCLUDE (__row__) FROM "
                        + table.sql()
                        + ") TO "
                        + DuckFile.literal(temporary.toString())
                        + " (FORMAT parquet, COMPRESSION zstd)");
        JsonObject entry = new JsonObject();
        entry.addProperty("id", table.id());
        entry.addProperty("schema", table.schema());
        entry.addProperty("name", table.name());
        entry.addProperty("changed", changed);
        entry.addProperty(
                "rows",
                file.query("SELECT count(*) FROM " + table.sql(), row -> row.getLong(1))
                        .getFirst());
        try (BackupTarget.Upload upload = target.write(name)) {
            entry.addProperty("bytes", Files.copy(temporary, upload.stream()));
            upload.complete();
            Files.delete(temporary);
        } catch (IOException failed) {
            throw unwritable(failed);
        }
        entry.addProperty("file", name);
        return entry;
    }

    /** Other characters may have a meaning in paths or globs; a tilde is in no other name. */
    static String folder(CopyTable table) {
        String name = table.schema() + "." + table.name();
        if (name.length() <= NAME_MAX && name.matches("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+")) {
            return name;
        }
        String readable = name.replaceAll("[^A-Za-z0-9_-]", "_");
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(table.id().getBytes(StandardCharsets.UTF_8));
            return readable.substring(0, Math.min(NAME_MAX, readable.length()))
                    + "~"
                    + HexFormat.of().formatHex(hash).substring(0, HASH_DIGITS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private PetrichorException unwritable(IOException failed) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                failed,
                "The Parquet files in {target} cannot be written: {reason}",
                "target",
                target,
                "reason",
                String.valueOf(failed.getMessage()));
    }
}
