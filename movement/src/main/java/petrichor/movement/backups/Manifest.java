package petrichor.movement.backups;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;

/**
 * What a set of a backup contains. Its file is the last one of a set to be written: without it, the
 * set does not exist.
 *
 * @param version the set contains every commit up to here, in microseconds since 1970
 * @param previous the set before it; empty if the log before this set is not known
 * @param keyId the key with which the set is encrypted; see {@link BackupKey#id}
 */
public record Manifest(
        DatabaseName database,
        long version,
        Instant created,
        Optional<Link> previous,
        Optional<String> keyId,
        Contents contents) {
    private static final int FORMAT = 1;

    /** The name of another set, and the hash of its manifest. */
    public record Link(long version, String hash) {}

    /** What a file contains. */
    public enum Content {
        /** Entities at the set's version, in key order, continued by the next such file. */
        SNAPSHOT,
        /** Rows and index entries of tables at the set's version, likewise. */
        TABLES,
        /** Commits between the previous set and this one, in order. */
        LOG
    }

    /**
     * A file of the set.
     *
     * @param sha256 in hexadecimal digits
     */
    public record Segment(String file, Content content, long rows, long bytes, String sha256) {
        public Segment {
            if (!file.matches("[a-z0-9.-]+")) {
                throw PetrichorException.invalid(
                        "A manifest names a file \"{file}\", which is not a file of a set.",
                        "file",
                        file);
            }
        }
    }

    /**
     * The files, and composite indexes as lists of index.yaml.
     *
     * @param declared indexes that were declared
     * @param automatic indexes that were created for queries
     */
    public record Contents(List<Segment> segments, String declared, String automatic) {
        public Contents {
            segments = List.copyOf(segments);
        }
    }

    /** Whether the set has all entities, so that a restore can start from it. */
    public boolean full() {
        return !segments(Content.SNAPSHOT).isEmpty();
    }

    /** Whether a full set has the tables, too: sets of older versions do not. */
    public boolean hasTables() {
        return !segments(Content.TABLES).isEmpty();
    }

    public List<Segment> segments(Content content) {
        return contents.segments().stream().filter(one -> one.content() == content).toList();
    }

    public long rows(Content content) {
        return segments(content).stream().mapToLong(Segment::rows).sum();
    }

    public long bytes() {
        return contents.segments().stream().mapToLong(Segment::bytes).sum();
    }

    byte[] encode() {
        JsonObject json = new JsonObject();
        json.addProperty("format", FORMAT);
        json.addProperty("project", database.project());
        json.addProperty("database", database.database());
        json.addProperty("version", version);
        json.addProperty("created", created.toString());
        previous.ifPresent(
                link -> {
                    json.addProperty("previous", link.version());
                    json.addProperty("previousHash", link.hash());
                });
        keyId.ifPresent(id -> json.addProperty("key", id));
        json.addProperty("declaredIndexes", contents.declared());
        json.addProperty("automaticIndexes", contents.automatic());
        JsonArray segments = new JsonArray();
        for (Segment segment : contents.segments()) {
            JsonObject one = new JsonObject();
            one.addProperty("file", segment.file());
            one.addProperty("content", segment.content().name().toLowerCase(Locale.ROOT));
            one.addProperty("rows", segment.rows());
            one.addProperty("bytes", segment.bytes());
            one.addProperty("sha256", segment.sha256());
            segments.add(one);
        }
        json.add("segments", segments);
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Throws a RuntimeException of the JSON library if it is malformed. */
    static Manifest decode(byte[] text) {
        JsonObject json =
                JsonParser.parseString(new String(text, StandardCharsets.UTF_8)).getAsJsonObject();
        if (json.get("format").getAsInt() != FORMAT) {
            throw PetrichorException.invalid(
                    "The backup has the format {format}; this version reads {formatKnown}. Use a"
                            + " newer version.",
                    "format",
                    json.get("format").getAsInt(),
                    "formatKnown",
                    FORMAT);
        }
        List<Segment> segments = new ArrayList<>();
        for (JsonElement element : json.getAsJsonArray("segments")) {
            JsonObject one = element.getAsJsonObject();
            segments.add(
                    new Segment(
                            one.get("file").getAsString(),
                            Content.valueOf(
                                    one.get("content").getAsString().toUpperCase(Locale.ROOT)),
                            one.get("rows").getAsLong(),
                            one.get("bytes").getAsLong(),
                            one.get("sha256").getAsString()));
        }
        return new Manifest(
                new DatabaseName(
                        json.get("project").getAsString(), json.get("database").getAsString()),
                json.get("version").getAsLong(),
                Instant.parse(json.get("created").getAsString()),
                json.has("previous")
                        ? Optional.of(
                                new Link(
                                        json.get("previous").getAsLong(),
                                        json.get("previousHash").getAsString()))
                        : Optional.empty(),
                Optional.ofNullable(json.get("key")).map(JsonElement::getAsString),
                new Contents(
                        segments,
                        json.get("declaredIndexes").getAsString(),
                        json.get("automaticIndexes").getAsString()));
    }
}
