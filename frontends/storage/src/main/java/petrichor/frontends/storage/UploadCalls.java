package petrichor.frontends.storage;

import com.google.gson.JsonObject;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.MultipartReader;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RequestBody;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.ExpectedChecksums;
import petrichor.services.blobs.NewObject;
import petrichor.services.blobs.ObjectWriter;

/**
 * Uploads of the JSON API: the content alone, with its metadata in one multipart body, or in
 * several requests ({@link ResumableCalls}). Thread-safe.
 */
final class UploadCalls {
    private final Transfers transfers;

    UploadCalls(Transfers transfers) {
        this.transfers = transfers;
    }

    Page.Answer insert(StorageCall call, String bucket) {
        call.bucket(bucket, Role.WRITE);
        String type = call.parameter("uploadType", "");
        return switch (type) {
            case "media" -> media(call, bucket);
            case "multipart" -> multipart(call, bucket);
            case "resumable" -> ResumableCalls.start(call, bucket);
            default ->
                    throw PetrichorException.invalid(
                            "uploadType must be media, multipart or resumable, not \"{type}\"",
                            "type",
                            type);
        };
    }

    private Page.Answer media(StorageCall call, String bucket) {
        JsonObject metadata = new JsonObject();
        metadata.addProperty("contentType", call.header("content-type"));
        String encoding = call.parameter("contentEncoding", call.header("content-encoding"));
        if (!encoding.isEmpty() && !encoding.equals("identity")) {
            metadata.addProperty("contentEncoding", encoding);
        }
        ExpectedChecksums announced =
                ObjectJson.checksums(call.header("x-goog-hash"), call.header("content-md5"));
        return written(
                call,
                bucket,
                name(call, metadata),
                new NewObject(ObjectJson.attributes(metadata), call.conditions(), announced),
                call.http().raw().body());
    }

    private Page.Answer multipart(StorageCall call, String bucket) {
        MultipartReader parts =
                new MultipartReader(call.header("content-type"), body(call, call.http().raw()));
        MultipartReader.Part first = parts.nextPart();
        JsonObject metadata = StorageJson.parse(parts.text(StorageJson.BYTES_MAX));
        MultipartReader.Part second = first == null ? null : parts.nextPart();
        if (second == null) {
            throw PetrichorException.invalid(
                    "a multipart upload has two parts: the metadata as JSON, and the content");
        }
        if (!metadata.has("contentType") && !second.contentType().isEmpty()) {
            metadata.addProperty("contentType", second.contentType());
        }
        return written(
                call,
                bucket,
                name(call, metadata),
                new NewObject(
                        ObjectJson.attributes(metadata),
                        call.conditions(),
                        ObjectJson.checksums(metadata)),
                parts::next);
    }

    /** The name of the new object, from the query or the metadata. */
    static String name(StorageCall call, JsonObject metadata) {
        String inQuery = call.parameter("name");
        String name = inQuery == null ? StorageJson.text(metadata, "name") : inQuery;
        if (name == null) {
            throw PetrichorException.invalid("the object has no name");
        }
        return name;
    }

    private Page.Answer written(
            StorageCall call, String bucket, String name, NewObject wanted, RequestBody content) {
        return ObjectCalls.answer(call, write(call, bucket, name, wanted, content));
    }

    /** Writes an object from the beginning to the end of a body. */
    BlobObject write(
            StorageCall call, String bucket, String name, NewObject wanted, RequestBody content) {
        try (Transfers.Transfer _ = transfers.begin();
                ObjectWriter writer = call.blobs().objects().create(bucket, name, wanted)) {
            for (byte[] piece = content.next(); piece != null; piece = content.next()) {
                call.http().cancellation().check();
                writer.write(piece, 0, piece.length);
                transfers.received(piece.length);
            }
            return writer.finish();
        }
    }

    /** A JSON document that is the complete body. */
    static JsonObject json(StorageCall call) {
        RequestBody body = body(call, call.http().raw());
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] piece = body.next(); piece != null; piece = body.next()) {
            if (all.size() + piece.length > StorageJson.BYTES_MAX) {
                throw PetrichorException.invalid(
                        "the request's JSON has more than {bytesMax} bytes",
                        "bytesMax",
                        StorageJson.BYTES_MAX);
            }
            all.writeBytes(piece);
        }
        return StorageJson.parse(all.toString(StandardCharsets.UTF_8));
    }

    /** The body without the compression of the transfer. */
    static RequestBody body(StorageCall call, Page.Raw raw) {
        String encoding = call.header("content-encoding").toLowerCase(Locale.ROOT);
        return encoding.equals("gzip") || encoding.equals("x-gzip")
                ? new DecompressedBody(raw.body())
                : raw.body();
    }
}
