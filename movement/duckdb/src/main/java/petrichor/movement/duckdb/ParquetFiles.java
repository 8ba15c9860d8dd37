package petrichor.movement.duckdb;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.movement.backups.BackupTarget;
import petrichor.rpc.v1.ReplicaStatus;

/**
 * The tables of a replica as Parquet files in a folder or bucket: one file per table, which is
 * written again when the table has changed, and {@code manifest.json}, which names the files of one
 * position. It is replaced last, so a reader of the manifest sees whole transactions; the files of
 * the manifest before it are kept for readers that have read that one. Confined to one thread.
 */
public final class ParquetFiles {
    public static final String MANIFEST = "manifest.json";

    private static final String SUFFIX = ".parquet";

    /** At most about this part of the time is spent writing files. */
    private static final int TIME_SHARE = 10;

    private final BackupTarget target;
    private final Path temporary;
    private @Nullable JsonObject manifest;
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
            known = new JsonObject();
            if (target.list("").contains(MANIFEST)) {
                try (InputStream in = target.read(MANIFEST)) {
                    known =
                            JsonParser.parseString(
                                            new String(in.readAllBytes(), StandardCharsets.UTF_8))
                                    .getAsJsonObject();
                } catch (IOException failed) {
                    throw unwritable(failed);
                }
            }
            manifest = known;
        }
        return known;
    }

    private void write(DuckFile file, ReplicaStatus status, JsonObject former) {
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
        JsonArray tables = new JsonArray();
        for (CopyTable table : CopyCatalog.read(file).all()) {
            long version = changed.getOrDefault(table.id(), 0L);
            JsonObject known = present.get(table.id());
            JsonObject entry =
                    same && known != null && known.get("changed").getAsLong() == version
                            ? known
                            : written(file, table, version, position(status));
            tables.add(entry);
            kept.add(entry.get("file").getAsString());
        }
        JsonObject next = new JsonObject();
        next.addProperty("format", 1);
        next.addProperty("source", status.getSource());
        next.addProperty("stream", status.getStream());
        next.addProperty("position", position(status));
        next.addProperty("time", Instant.EPOCH.plusNanos(status.getPosition() * 1_000).toString());
        next.add("tables", tables);
        try (BackupTarget.Upload upload = target.write(MANIFEST)) {
            upload.stream().write(next.toString().getBytes(StandardCharsets.UTF_8));
            upload.complete();
        } catch (IOException failed) {
            throw unwritable(failed);
        }
        manifest = next;
        for (String name : target.list("")) {
            if (name.endsWith(SUFFIX) && !kept.contains(name)) {
                target.delete(name);
            }
        }
    }

    private JsonObject written(DuckFile file, CopyTable table, long changed, String position) {
        String name = folder(table) + "/" + position + SUFFIX;
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

    /** Characters with a meaning in paths or globs are replaced; the id keeps tables apart. */
    private static String folder(CopyTable table) {
        String name = (table.schema() + "." + table.name()).replaceAll("[^A-Za-z0-9_.-]", "_");
        return name.equals(table.schema() + "." + table.name())
                ? name
                : name + "-" + Integer.toHexString(table.id().hashCode());
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
