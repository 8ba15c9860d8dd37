package petrichor.frontends.storage;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.ExpectedChecksums;
import petrichor.services.blobs.ObjectAttributes;
import petrichor.services.blobs.content.Checksums;

/** Objects as JSON. */
final class ObjectJson {
    static final String OCTETS = "application/octet-stream";

    /** Cloud Storage's limit on all names and values of an object's custom metadata. */
    private static final int METADATA_BYTES_MAX = 8 << 10;

    private static final int ATTRIBUTE_CHARS_MAX = 1_024;
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    private static final String METADATA = "metadata";
    private static final String CUSTOM_TIME = "customTime";

    private ObjectJson() {}

    static JsonObject of(BlobObject object, String base) {
        String bucket = StorageJson.segment(object.bucket());
        String name = StorageJson.segment(object.name());
        JsonObject json = new JsonObject();
        json.addProperty("kind", "storage#object");
        json.addProperty("id", object.bucket() + "/" + object.name() + "/" + object.generation());
        json.addProperty("selfLink", base + "/storage/v1/b/" + bucket + "/o/" + name);
        json.addProperty(
                "mediaLink",
                base
                        + "/download/storage/v1/b/"
                        + bucket
                        + "/o/"
                        + name
                        + "?generation="
                        + object.generation()
                        + "&alt=media");
        json.addProperty("name", object.name());
        json.addProperty("bucket", object.bucket());
        json.addProperty("generation", String.valueOf(object.generation()));
        json.addProperty("metageneration", String.valueOf(object.version().metageneration()));
        json.addProperty("size", String.valueOf(object.bytes()));
        json.addProperty("crc32c", Checksums.text(object.content().crc32c()));
        if (!object.content().md5().isEmpty()) {
            json.addProperty("md5Hash", object.content().md5());
        }
        if (object.content().components() > 0) {
            json.addProperty("componentCount", object.content().components());
        }
        json.addProperty("etag", StorageJson.etag(object.version()));
        String created = StorageJson.time(object.version().createdMicros());
        json.addProperty("timeCreated", created);
        json.addProperty("updated", StorageJson.time(object.version().updatedMicros()));
        json.addProperty("timeStorageClassUpdated", created);
        json.addProperty("storageClass", object.attributes().storageClass());
        add(json, object.attributes());
        return json;
    }

    private static void add(JsonObject json, ObjectAttributes attributes) {
        ObjectAttributes.Headers headers = attributes.headers();
        BiConsumer<String, String> set =
                (member, value) -> {
                    if (!value.isEmpty()) {
                        json.addProperty(member, value);
                    }
                };
        set.accept("contentType", headers.contentType());
        set.accept("contentEncoding", headers.contentEncoding());
        set.accept("contentDisposition", headers.contentDisposition());
        set.accept("contentLanguage", headers.contentLanguage());
        set.accept("cacheControl", headers.cacheControl());
        if (!attributes.metadata().isEmpty()) {
            JsonObject metadata = new JsonObject();
            attributes.metadata().forEach(metadata::addProperty);
            json.add(METADATA, metadata);
        }
        StorageJson.parse(attributes.settings())
                .entrySet()
                .forEach(each -> json.add(each.getKey(), each.getValue()));
    }

    /** Attributes of a new object. */
    static ObjectAttributes attributes(JsonObject wanted) {
        return patched(ObjectAttributes.NONE, wanted);
    }

    /** The attributes with some changed members; null removes one. */
    static ObjectAttributes patched(ObjectAttributes before, JsonObject patch) {
        refuseHolds(patch);
        ObjectAttributes.Headers headers = before.headers();
        String storageClass = value(patch, "storageClass", before.storageClass());
        JsonObject settings = StorageJson.parse(before.settings());
        if (patch.has(CUSTOM_TIME)) {
            String time = StorageJson.text(patch, CUSTOM_TIME);
            if (time == null) {
                settings.remove(CUSTOM_TIME);
            } else {
                settings.addProperty(CUSTOM_TIME, time);
            }
        }
        return new ObjectAttributes(
                new ObjectAttributes.Headers(
                        value(patch, "contentType", headers.contentType()),
                        value(patch, "contentEncoding", headers.contentEncoding()),
                        value(patch, "contentDisposition", headers.contentDisposition()),
                        value(patch, "contentLanguage", headers.contentLanguage()),
                        value(patch, "cacheControl", headers.cacheControl())),
                storageClass.isEmpty() ? ObjectAttributes.STANDARD : storageClass,
                metadata(before.metadata(), patch),
                settings.isEmpty() ? "" : settings.toString());
    }

    private static void refuseHolds(JsonObject wanted) {
        if (StorageJson.flag(wanted, "temporaryHold")
                || StorageJson.flag(wanted, "eventBasedHold")
                || !StorageJson.object(wanted, "retention").isEmpty()) {
            throw BucketJson.unsupported("holds and retention of objects");
        }
    }

    private static String value(JsonObject patch, String member, String before) {
        if (!patch.has(member)) {
            return before;
        }
        String value = StorageJson.text(patch, member);
        return value == null ? "" : attribute(member, value);
    }

    /** A value that becomes a header of responses. */
    static String attribute(String name, String value) {
        if (value.length() > ATTRIBUTE_CHARS_MAX || CONTROL.matcher(value).find()) {
            throw PetrichorException.invalid(
                    "{name} has more than {charsMax} characters, or a control character",
                    "name",
                    name,
                    "charsMax",
                    ATTRIBUTE_CHARS_MAX);
        }
        return value;
    }

    private static Map<String, String> metadata(Map<String, String> before, JsonObject patch) {
        JsonElement wanted = patch.get(METADATA);
        if (wanted == null) {
            return before;
        }
        if (wanted.isJsonNull()) {
            return Map.of();
        }
        JsonObject changes = StorageJson.object(patch, METADATA);
        Map<String, String> after = new TreeMap<>(before);
        for (String key : changes.keySet()) {
            String value = StorageJson.text(changes, key);
            if (value == null) {
                after.remove(key);
            } else {
                after.put(key, value);
            }
        }
        return bounded(after);
    }

    static Map<String, String> bounded(Map<String, String> metadata) {
        long bytes = 0;
        for (Map.Entry<String, String> each : metadata.entrySet()) {
            bytes += each.getKey().getBytes(StandardCharsets.UTF_8).length;
            bytes += each.getValue().getBytes(StandardCharsets.UTF_8).length;
        }
        if (bytes > METADATA_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "the object's metadata has {bytes} bytes, at most {bytesMax} are allowed",
                    "bytes",
                    bytes,
                    "bytesMax",
                    METADATA_BYTES_MAX);
        }
        return metadata;
    }

    /** Checksums that the client announced with the metadata. */
    static ExpectedChecksums checksums(JsonObject wanted) {
        String md5 = StorageJson.text(wanted, "md5Hash");
        return new ExpectedChecksums(
                crc32c(StorageJson.text(wanted, "crc32c")), md5 == null ? "" : md5);
    }

    /** Checksums as a header announces them: {@code crc32c=…,md5=…}. */
    static ExpectedChecksums checksums(String header, String md5Header) {
        Integer crc32c = null;
        String md5 = md5Header;
        for (String part : header.split(",", -1)) {
            String sum = part.strip();
            if (sum.startsWith("crc32c=")) {
                crc32c = crc32c(sum.substring(7));
            } else if (sum.startsWith("md5=")) {
                md5 = sum.substring(4);
            }
        }
        return new ExpectedChecksums(crc32c, md5);
    }

    private static @Nullable Integer crc32c(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            return Checksums.crc32c(text);
        } catch (IllegalArgumentException malformed) {
            throw PetrichorException.invalid(
                    "\"{value}\" is not a CRC32C in base64", "value", text);
        }
    }
}
