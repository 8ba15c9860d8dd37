package petrichor.frontends.storage;

import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RequestBody;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.ExpectedChecksums;
import petrichor.services.blobs.NewObject;
import petrichor.services.blobs.ObjectAttributes;
import petrichor.services.blobs.Upload;
import petrichor.services.blobs.UploadWriter;

/**
 * Resumable uploads: a request starts one, and others carry the content. A client that knows the id
 * of an upload may continue it, without a token. Thread-safe.
 */
final class ResumableCalls {
    private static final int INCOMPLETE = 308;
    private static final int CANCELLED = 499;

    /** Clients whose HTTP library takes 308 for a redirection send this header. */
    private static final String NO_308 = "x-guploader-no-308";

    private final Transfers transfers;

    ResumableCalls(Transfers transfers) {
        this.transfers = transfers;
    }

    /** Of the JSON API; the caller may write to the bucket. */
    static Page.Answer start(StorageCall call, String bucket) {
        JsonObject metadata = UploadCalls.json(call);
        String type = call.header("x-upload-content-type");
        if (!metadata.has("contentType") && !type.isEmpty()) {
            metadata.addProperty("contentType", type);
        }
        ObjectAttributes attributes = ObjectJson.attributes(metadata);
        Upload upload =
                call.blobs()
                        .uploads()
                        .start(
                                bucket,
                                UploadCalls.name(call, metadata),
                                new NewObject(
                                        attributes,
                                        call.conditions(),
                                        ObjectJson.checksums(metadata)),
                                StorageCall.number(
                                        "X-Upload-Content-Length",
                                        call.header("x-upload-content-length")));
        return Page.Answer.text(200, "")
                .with(
                        started(
                                call.base()
                                        + "/upload/storage/v1/b/"
                                        + StorageJson.segment(bucket)
                                        + "/o?uploadType=resumable&upload_id="
                                        + upload.id(),
                                upload));
    }

    static Map<String, String> started(String location, Upload upload) {
        return Map.of("location", location, "x-guploader-uploadid", upload.id());
    }

    /**
     * Receives the next part of the content, or reports how much has arrived.
     *
     * @param done the response when the object is complete
     */
    Page.Answer resume(
            StorageCall call,
            String bucket,
            String id,
            BiFunction<StorageCall, BlobObject, Page.Answer> done) {
        ContentRange range = ContentRange.of(call.header("content-range"));
        Upload upload = call.blobs().uploads().get(bucket, id);
        if (upload.complete()) {
            Upload.Target target = upload.target();
            return done.apply(
                    call,
                    call.blobs()
                            .objects()
                            .get(target.bucket(), target.object(), upload.generation()));
        }
        requireSameSize(upload, range);
        Long total = range.total() == null ? upload.size() : range.total();
        if (range.isEmpty() && (total == null || total != upload.received())) {
            return incomplete(call, upload);
        }
        return receive(call, upload, range, total, done);
    }

    private static void requireSameSize(Upload upload, ContentRange range) {
        if (upload.size() != null
                && range.total() != null
                && !upload.size().equals(range.total())) {
            throw PetrichorException.invalid(
                    "the upload was announced with {announced} bytes, but this request says"
                            + " {total}",
                    "announced",
                    upload.size(),
                    "total",
                    range.total());
        }
    }

    private Page.Answer receive(
            StorageCall call,
            Upload upload,
            ContentRange range,
            @Nullable Long total,
            BiFunction<StorageCall, BlobObject, Page.Answer> done) {
        long from = range.isEmpty() ? upload.received() : range.from();
        try (Transfers.Transfer _ = transfers.begin();
                UploadWriter writer = call.blobs().uploads().append(upload, from)) {
            long arrived = copy(call, writer);
            if (range.bytes() != null && arrived != range.bytes()) {
                throw PetrichorException.invalid(
                        "the body has {bytes} bytes, but its Content-Range says {announced}",
                        "bytes",
                        arrived,
                        "announced",
                        range.bytes());
            }
            if (range.isLast() || (total != null && writer.position() == total)) {
                ExpectedChecksums announced =
                        ObjectJson.checksums(
                                call.header("x-goog-hash"), call.header("content-md5"));
                return done.apply(call, writer.complete(announced));
            }
            return incomplete(call, writer.suspend());
        }
    }

    /** If the client disconnects, what has arrived is kept. */
    private long copy(StorageCall call, UploadWriter writer) {
        // Google's API client compresses parts; Content-Range then counts the bytes before it.
        RequestBody body = UploadCalls.body(call, call.http().raw());
        long arrived = 0;
        while (true) {
            byte[] piece;
            try {
                call.http().cancellation().check();
                piece = body.next();
            } catch (PetrichorException interrupted) {
                var _ = writer.suspend();
                throw interrupted;
            }
            if (piece == null) {
                return arrived;
            }
            writer.write(piece, 0, piece.length);
            transfers.received(piece.length);
            arrived += piece.length;
        }
    }

    private static Page.Answer incomplete(StorageCall call, Upload upload) {
        Map<String, String> headers = new HashMap<>();
        headers.put("x-guploader-uploadid", upload.id());
        if (upload.received() > 0) {
            headers.put("range", "bytes=0-" + (upload.received() - 1));
        }
        boolean no308 = !call.header(NO_308).isEmpty();
        if (no308) {
            headers.put("x-http-status-code-override", String.valueOf(INCOMPLETE));
        }
        return Page.Answer.text(no308 ? 200 : INCOMPLETE, "").with(headers);
    }

    static Page.Answer cancel(StorageCall call, String bucket, String id) {
        call.blobs().uploads().cancel(call.blobs().uploads().get(bucket, id));
        return Page.Answer.text(CANCELLED, "");
    }
}
