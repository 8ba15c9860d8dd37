package petrichor.frontends.storage;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.Page;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.ExpectedChecksums;
import petrichor.services.blobs.ListRequest;
import petrichor.services.blobs.Listing;
import petrichor.services.blobs.NewObject;
import petrichor.services.blobs.ObjectAttributes;
import petrichor.services.blobs.Objects;
import petrichor.services.blobs.Preconditions;

/** Methods on objects that carry no content; see {@link UploadCalls} and {@link Downloads}. */
final class ObjectCalls {
    private static final int METADATA_MEMBERS_MAX = 1_000;

    private ObjectCalls() {}

    /**
     * The version that the request names, if its conditions hold.
     *
     * @return null if the client has this version already
     */
    static @Nullable BlobObject wanted(StorageCall call, String bucket, String name) {
        call.bucket(bucket, Role.READ);
        BlobObject object = call.blobs().objects().get(bucket, name, call.number("generation"));
        Preconditions conditions = call.conditions();
        String etag = StorageJson.etag(object.version());
        if (!matches(call.header("if-match"), etag, true)) {
            throw changed(name);
        }
        if (matches(call.header("if-none-match"), etag, false)) {
            return null;
        }
        return switch (conditions.verdict(object.version())) {
            case MET -> object;
            case NOT_MODIFIED -> null;
            case FAILED -> {
                conditions.require(object.version(), name);
                throw new IllegalStateException();
            }
        };
    }

    /**
     * @param ifAbsent the result without a header
     */
    private static boolean matches(String header, String etag, boolean ifAbsent) {
        if (header.isEmpty()) {
            return ifAbsent;
        }
        for (String one : header.split(",", -1)) {
            String tag = one.strip().replace("\"", "");
            if (tag.equals("*") || tag.equals(etag)) {
                return true;
            }
        }
        return false;
    }

    private static PetrichorException changed(String name) {
        return PetrichorException.of(
                petrichor.base.ErrorCode.FAILED_PRECONDITION,
                "{name} has another etag than the one in If-Match; read it again",
                "name",
                name);
    }

    static Page.Answer get(StorageCall call, String bucket, String name) {
        BlobObject object = wanted(call, bucket, name);
        return object == null
                ? Page.Answer.bytes(304, "application/json", new byte[0])
                : answer(call, object);
    }

    static Page.Answer list(StorageCall call, String bucket) {
        call.bucket(bucket, Role.READ);
        if (call.flag("softDeleted")) {
            throw BucketJson.unsupported("soft-deleted objects");
        }
        Set<ListRequest.Option> options = EnumSet.noneOf(ListRequest.Option.class);
        if (call.flag("versions")) {
            options.add(ListRequest.Option.VERSIONS);
        }
        if (call.flag("includeTrailingDelimiter")) {
            options.add(ListRequest.Option.TRAILING_DELIMITER);
        }
        String glob = call.parameter("matchGlob", "");
        ListRequest request =
                new ListRequest(
                        new ListRequest.Names(
                                call.parameter("prefix", ""),
                                call.parameter("startOffset", ""),
                                call.parameter("endOffset", "")),
                        call.parameter("delimiter", ""),
                        glob.isEmpty() ? null : Glob.of(glob)::matches,
                        options,
                        call.parameter("pageToken", ""),
                        call.pageSize(ListRequest.ENTRIES_MAX));
        Listing listing = call.blobs().objects().list(bucket, request);
        JsonObject page = new JsonObject();
        page.addProperty("kind", "storage#objects");
        JsonArray items = new JsonArray();
        listing.objects().forEach(object -> items.add(ObjectJson.of(object, call.base())));
        if (!items.isEmpty()) {
            page.add("items", items);
        }
        JsonArray prefixes = new JsonArray();
        listing.prefixes().forEach(prefixes::add);
        if (!prefixes.isEmpty()) {
            page.add("prefixes", prefixes);
        }
        if (!listing.nextPageToken().isEmpty()) {
            page.addProperty("nextPageToken", listing.nextPageToken());
        }
        return StorageCall.json(200, page);
    }

    static Page.Answer patch(StorageCall call, String bucket, String name) {
        call.bucket(bucket, Role.WRITE);
        JsonObject patch = call.json();
        return changed(call, bucket, name, before -> ObjectJson.patched(before, patch));
    }

    static Page.Answer update(StorageCall call, String bucket, String name) {
        call.bucket(bucket, Role.WRITE);
        JsonObject wanted = call.json();
        return changed(call, bucket, name, _ -> ObjectJson.attributes(wanted));
    }

    private static Page.Answer changed(
            StorageCall call, String bucket, String name, UnaryOperator<ObjectAttributes> change) {
        return answer(
                call,
                call.blobs()
                        .objects()
                        .update(
                                bucket,
                                name,
                                call.number("generation"),
                                call.conditions(),
                                change));
    }

    static void delete(StorageCall call, String bucket, String name) {
        call.bucket(bucket, Role.WRITE);
        call.blobs().objects().delete(bucket, name, call.number("generation"), call.conditions());
    }

    static Page.Answer compose(StorageCall call, String bucket, String name) {
        call.bucket(bucket, Role.WRITE);
        JsonObject wanted = call.json();
        List<Objects.Source> sources = new ArrayList<>();
        JsonElement listed = wanted.get("sourceObjects");
        if (listed == null || !listed.isJsonArray()) {
            throw PetrichorException.invalid("sourceObjects must be a list of objects");
        }
        for (JsonElement source : listed.getAsJsonArray()) {
            if (!source.isJsonObject() || sources.size() >= METADATA_MEMBERS_MAX) {
                throw PetrichorException.invalid("sourceObjects must be a list of objects");
            }
            sources.add(source(source.getAsJsonObject()));
        }
        JsonObject destination = StorageJson.object(wanted, "destination");
        return answer(
                call,
                call.blobs()
                        .objects()
                        .compose(
                                bucket,
                                name,
                                sources,
                                new NewObject(
                                        ObjectJson.attributes(destination),
                                        call.conditions(),
                                        // Clients send the checksums of what they replace.
                                        ExpectedChecksums.NONE)));
    }

    private static Objects.Source source(JsonObject source) {
        String name = StorageJson.text(source, "name");
        if (name == null) {
            throw PetrichorException.invalid("an element of sourceObjects has no name");
        }
        JsonObject conditions = StorageJson.object(source, "objectPreconditions");
        return new Objects.Source(
                name,
                StorageCall.number("generation", StorageJson.text(source, "generation")),
                new Preconditions(
                        StorageCall.number(
                                "ifGenerationMatch",
                                StorageJson.text(conditions, "ifGenerationMatch")),
                        null,
                        null,
                        null));
    }

    /** An object of a bucket. */
    record Name(String bucket, String object) {}

    static Page.Answer copy(StorageCall call, Name source, Name target) {
        return answer(call, copied(call, source, target));
    }

    /** Always completes at once, so that no token is needed to continue. */
    static Page.Answer rewrite(StorageCall call, Name source, Name target) {
        BlobObject copy = copied(call, source, target);
        JsonObject body = new JsonObject();
        body.addProperty("kind", "storage#rewriteResponse");
        body.addProperty("totalBytesRewritten", String.valueOf(copy.bytes()));
        body.addProperty("objectSize", String.valueOf(copy.bytes()));
        body.addProperty("done", true);
        body.add("resource", ObjectJson.of(copy, call.base()));
        return StorageCall.json(200, body);
    }

    private static BlobObject copied(StorageCall call, Name source, Name target) {
        call.bucket(source.bucket(), Role.READ);
        call.bucket(target.bucket(), Role.WRITE);
        BlobObject object =
                call.blobs()
                        .objects()
                        .get(source.bucket(), source.object(), call.number("sourceGeneration"));
        call.sourceConditions().require(object.version(), source.object());
        JsonObject wanted = call.json();
        // Without a body, the copy has the metadata of the source.
        ObjectAttributes attributes =
                wanted.isEmpty() ? object.attributes() : ObjectJson.attributes(wanted);
        return call.blobs()
                .objects()
                .copy(
                        object,
                        target.bucket(),
                        target.object(),
                        new NewObject(attributes, call.conditions(), ExpectedChecksums.NONE));
    }

    static Page.Answer answer(StorageCall call, BlobObject object) {
        return StorageCall.json(200, ObjectJson.of(object, call.base()));
    }
}
