package petrichor.frontends.storage;

import com.google.gson.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.Page;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.Bucket;
import petrichor.services.blobs.NewObject;
import petrichor.services.blobs.ObjectAttributes;
import petrichor.services.blobs.Preconditions;
import petrichor.services.blobs.Upload;

/**
 * Objects by the XML API: signed URLs have its form, and some clients download with it. A request
 * needs a token or a signature. Thread-safe.
 */
final class XmlCalls {
    private static final String META = "x-goog-meta-";

    private final UploadCalls uploads;
    private final ResumableCalls resumable;
    private final Downloads downloads;
    private final TimeSource time;

    XmlCalls(UploadCalls uploads, ResumableCalls resumable, Downloads downloads, TimeSource time) {
        this.uploads = uploads;
        this.resumable = resumable;
        this.downloads = downloads;
        this.time = time;
    }

    /** The bucket and the object that a path names, of which only the latter contains slashes. */
    static ObjectCalls.Name name(String target) {
        String path = ResourcePath.path(target);
        int slash = path.indexOf('/', 1);
        return new ObjectCalls.Name(
                ResourcePath.decoded(path.substring(1, slash)),
                ResourcePath.decoded(path.substring(slash + 1)));
    }

    Page.Answer get(StorageCall call) {
        ObjectCalls.Name name = name(call.http().raw().target());
        authorize(call, name.bucket(), Role.READ);
        BlobObject object =
                call.blobs().objects().get(name.bucket(), name.object(), call.number("generation"));
        String known = call.header("if-none-match").replace("\"", "");
        if (!known.isEmpty() && known.equals(StorageJson.etag(object.version()))) {
            return Page.Answer.bytes(304, ObjectJson.OCTETS, new byte[0]);
        }
        conditions(call).require(object.version(), name.object());
        return downloads.content(call, object);
    }

    Page.Answer put(StorageCall call) {
        ObjectCalls.Name name = name(call.http().raw().target());
        String id = call.parameter("upload_id");
        if (id != null) {
            return resumable.resume(call, name.bucket(), id, (_, object) -> uploaded(object));
        }
        authorize(call, name.bucket(), Role.WRITE);
        return uploaded(
                uploads.write(
                        call,
                        name.bucket(),
                        name.object(),
                        wanted(call),
                        call.http().raw().body()));
    }

    private static Page.Answer uploaded(BlobObject object) {
        Map<String, String> headers = new HashMap<>();
        Downloads.headers(object)
                .forEach(
                        (name, value) -> {
                            if (name.startsWith("x-goog-") || name.equals("etag")) {
                                headers.put(name, value);
                            }
                        });
        return Page.Answer.bytes(200, "text/html; charset=utf-8", new byte[0]).with(headers);
    }

    /** Starts a resumable upload. */
    Page.Answer post(StorageCall call) {
        ObjectCalls.Name name = name(call.http().raw().target());
        if (!call.header("x-goog-resumable").equals("start")) {
            throw PetrichorException.of(
                    ErrorCode.UNIMPLEMENTED,
                    "POST without \"x-goog-resumable: start\" is not supported; upload forms with"
                            + " PUT, or through the JSON API");
        }
        authorize(call, name.bucket(), Role.WRITE);
        Upload upload =
                call.blobs().uploads().start(name.bucket(), name.object(), wanted(call), null);
        String location =
                call.base()
                        + ResourcePath.path(call.http().raw().target())
                        + "?upload_id="
                        + upload.id();
        return Page.Answer.bytes(201, "text/html; charset=utf-8", new byte[0])
                .with(ResumableCalls.started(location, upload));
    }

    Page.Answer delete(StorageCall call) {
        ObjectCalls.Name name = name(call.http().raw().target());
        String id = call.parameter("upload_id");
        if (id != null) {
            return ResumableCalls.cancel(call, name.bucket(), id);
        }
        authorize(call, name.bucket(), Role.WRITE);
        call.blobs()
                .objects()
                .delete(name.bucket(), name.object(), call.number("generation"), conditions(call));
        return Page.Answer.bytes(204, ObjectJson.OCTETS, new byte[0]);
    }

    private void authorize(StorageCall call, String bucketName, Role role) {
        Map<String, String> parameters = call.http().parameters();
        if (!SignedUrl.isSigned(parameters)) {
            call.bucket(bucketName, role);
            return;
        }
        SignedUrl url = SignedUrl.of(parameters);
        Bucket bucket = call.blobs().buckets().get(bucketName);
        call.http().attempt().about(bucket.project(), "");
        url.require(
                call.http().raw().method(),
                call.http().raw().target(),
                call.http().headers(),
                Instant.EPOCH.plus(time.epochMicros(), ChronoUnit.MICROS),
                call.blobs().keys().find(bucket.project(), url.email()).orElse(null));
    }

    private static NewObject wanted(StorageCall call) {
        JsonObject metadata = new JsonObject();
        header(call, "content-type", "contentType", metadata);
        header(call, "content-encoding", "contentEncoding", metadata);
        header(call, "content-disposition", "contentDisposition", metadata);
        header(call, "content-language", "contentLanguage", metadata);
        header(call, "cache-control", "cacheControl", metadata);
        header(call, "x-goog-storage-class", "storageClass", metadata);
        ObjectAttributes attributes = ObjectJson.attributes(metadata);
        Map<String, String> custom = new TreeMap<>();
        call.http()
                .headers()
                .forEach(
                        (name, value) -> {
                            if (name.startsWith(META)) {
                                custom.put(name.substring(META.length()), value);
                            }
                        });
        return new NewObject(
                new ObjectAttributes(
                        attributes.headers(),
                        attributes.storageClass(),
                        ObjectJson.bounded(custom),
                        attributes.settings()),
                conditions(call),
                ObjectJson.checksums(call.header("x-goog-hash"), call.header("content-md5")));
    }

    private static void header(
            StorageCall call, String header, String member, JsonObject metadata) {
        String value = call.header(header);
        if (!value.isEmpty()) {
            metadata.addProperty(member, value);
        }
    }

    private static Preconditions conditions(StorageCall call) {
        return new Preconditions(
                number(call, "x-goog-if-generation-match"),
                null,
                number(call, "x-goog-if-metageneration-match"),
                null);
    }

    private static @Nullable Long number(StorageCall call, String header) {
        return StorageCall.number(header, call.header(header));
    }
}
