package petrichor.frontends.storage;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.Bucket;

/** Buckets as JSON. */
final class BucketJson {
    private static final String VERSIONING = "versioning";

    /** Members that clients may set, in the order in which they appear. */
    private static final Set<String> SETTINGS =
            Set.of(
                    "autoclass",
                    "billing",
                    "cors",
                    "customPlacementConfig",
                    "defaultEventBasedHold",
                    "iamConfiguration",
                    "labels",
                    "lifecycle",
                    "location",
                    "logging",
                    "rpo",
                    "softDeletePolicy",
                    "storageClass",
                    "website");

    /** Members that would promise what the service does not do. */
    private static final Map<String, String> REFUSED =
            Map.of(
                    "retentionPolicy", "retention policies",
                    "encryption", "encryption with keys of Cloud KMS",
                    "ipFilter", "IP filters",
                    "objectRetention", "retention of objects",
                    "hierarchicalNamespace", "hierarchical namespaces");

    private BucketJson() {}

    static JsonObject of(Bucket bucket, String base) {
        JsonObject json = new JsonObject();
        json.addProperty("kind", "storage#bucket");
        json.addProperty("id", bucket.name());
        json.addProperty("selfLink", base + "/storage/v1/b/" + StorageJson.segment(bucket.name()));
        json.addProperty("projectNumber", projectNumber(bucket.project()));
        json.addProperty("name", bucket.name());
        json.addProperty("timeCreated", StorageJson.time(bucket.version().createdMicros()));
        json.addProperty("updated", StorageJson.time(bucket.version().updatedMicros()));
        json.addProperty("metageneration", String.valueOf(bucket.version().metageneration()));
        json.addProperty("etag", StorageJson.etag(bucket.version()));
        json.addProperty("location", "US");
        json.addProperty("locationType", "multi-region");
        json.addProperty("storageClass", "STANDARD");
        json.addProperty("rpo", "DEFAULT");
        JsonObject access = new JsonObject();
        JsonObject uniform = new JsonObject();
        uniform.addProperty("enabled", true);
        access.add("uniformBucketLevelAccess", uniform);
        access.addProperty("publicAccessPrevention", "inherited");
        json.add("iamConfiguration", access);
        if (bucket.versioning()) {
            json.add(VERSIONING, versioning(true));
        }
        settings(bucket).entrySet().forEach(each -> json.add(each.getKey(), each.getValue()));
        return json;
    }

    private static JsonObject versioning(boolean enabled) {
        JsonObject versioning = new JsonObject();
        versioning.addProperty("enabled", enabled);
        return versioning;
    }

    /** Clients expect a number; it does not change. */
    private static String projectNumber(String project) {
        CRC32 crc = new CRC32();
        crc.update(project.getBytes(StandardCharsets.UTF_8));
        return String.valueOf(100_000_000_000L + crc.getValue());
    }

    private static JsonObject settings(Bucket bucket) {
        return StorageJson.parse(bucket.settings());
    }

    /** Settings of a new bucket. */
    static String settings(JsonObject wanted) {
        return changed(new JsonObject(), wanted).toString();
    }

    static boolean versioning(JsonObject wanted) {
        return StorageJson.flag(StorageJson.object(wanted, VERSIONING), "enabled");
    }

    /**
     * The bucket with some changed members: null removes one, and members of labels are changed one
     * by one.
     */
    static Bucket patched(Bucket before, JsonObject patch) {
        return with(
                before,
                patch.has(VERSIONING) ? versioning(patch) : before.versioning(),
                changed(settings(before), patch));
    }

    /** The bucket with all members replaced. */
    static Bucket replaced(Bucket before, JsonObject wanted) {
        return with(before, versioning(wanted), changed(new JsonObject(), wanted));
    }

    private static Bucket with(Bucket before, boolean versioning, JsonObject settings) {
        return new Bucket(
                before.name(), before.project(), before.version(), versioning, settings.toString());
    }

    private static JsonObject changed(JsonObject before, JsonObject wanted) {
        REFUSED.forEach((member, what) -> refuse(wanted, member, what));
        if (StorageJson.flag(wanted, "defaultEventBasedHold")) {
            throw unsupported("holds");
        }
        JsonObject after = before.deepCopy();
        for (String member : SETTINGS) {
            JsonElement value = wanted.get(member);
            if (value == null) {
                continue;
            }
            if (value.isJsonNull()) {
                after.remove(member);
            } else if (value.isJsonObject()) {
                after.add(
                        member, merged(StorageJson.object(after, member), value.getAsJsonObject()));
            } else {
                after.add(member, value);
            }
        }
        return after;
    }

    private static void refuse(JsonObject wanted, String member, String what) {
        JsonElement value = wanted.get(member);
        boolean off =
                value == null
                        || value.isJsonNull()
                        || (value.isJsonObject()
                                && (value.getAsJsonObject().isEmpty()
                                        || (value.getAsJsonObject().has("enabled")
                                                && !StorageJson.flag(
                                                        value.getAsJsonObject(), "enabled"))));
        if (!off) {
            throw unsupported(what);
        }
    }

    static PetrichorException unsupported(String what) {
        return PetrichorException.of(
                ErrorCode.UNIMPLEMENTED, "{what} are not supported", "what", what);
    }

    /** A merge of JSON objects (RFC 7396). */
    static JsonObject merged(JsonObject before, JsonObject patch) {
        JsonObject after = before.deepCopy();
        for (Map.Entry<String, JsonElement> change : patch.entrySet()) {
            JsonElement value = change.getValue();
            if (value.isJsonNull()) {
                after.remove(change.getKey());
            } else if (value.isJsonObject()) {
                JsonElement known = after.get(change.getKey());
                after.add(
                        change.getKey(),
                        merged(
                                known != null && known.isJsonObject()
                                        ? known.getAsJsonObject()
                                        : new JsonObject(),
                                value.getAsJsonObject()));
            } else {
                after.add(change.getKey(), value);
            }
        }
        return after;
    }
}
