package petrichor.frontends.storage;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.http.ByteRange;
import petrichor.frontends.http.Page;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.ObjectAttributes;
import petrichor.services.blobs.content.Checksums;
import petrichor.services.blobs.content.ContentReader;

/** Responses with the content of objects, whole or a range. Thread-safe. */
final class Downloads {
    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ENGLISH)
                    .withZone(ZoneOffset.UTC);

    /** Names and values that can be sent as a header. */
    private static final Pattern TOKEN = Pattern.compile("[a-zA-Z\\d_.-]+");

    private static final Pattern VISIBLE = Pattern.compile("[\\x20-\\x7e]*");

    private final Transfers transfers;

    Downloads(Transfers transfers) {
        this.transfers = transfers;
    }

    /** The content of a version, as the client wants it. */
    Page.Answer content(StorageCall call, String bucket, String name) {
        BlobObject object = ObjectCalls.wanted(call, bucket, name);
        if (object == null) {
            return Page.Answer.bytes(304, ObjectJson.OCTETS, new byte[0]);
        }
        return content(call, object);
    }

    /** The content of a version to which the caller has access. */
    Page.Answer content(StorageCall call, BlobObject object) {
        long size = object.bytes();
        return switch (ByteRange.of(call.header("range"), size)) {
            case ByteRange.All _ -> streamed(call, object, 200, 0, size);
            case ByteRange.Some(long from, long to) -> streamed(call, object, 206, from, to);
            case ByteRange.Nothing _ ->
                    Page.Answer.text(416, "The requested range cannot be satisfied.\n")
                            .with(Map.of("content-range", "bytes */" + size));
        };
    }

    private Page.Answer streamed(
            StorageCall call, BlobObject object, int status, long from, long to) {
        Map<String, String> headers = headers(object);
        if (status == 206) {
            headers.put("content-range", "bytes " + from + "-" + (to - 1) + "/" + object.bytes());
        }
        override(call, "response-content-disposition", "content-disposition", headers);
        override(call, "response-cache-control", "cache-control", headers);
        // A header field's value has no space around it.
        String type = object.attributes().headers().contentType().strip();
        String asked = call.parameter("response-content-type");
        if (asked != null) {
            type = ObjectJson.attribute("response-content-type", asked).strip();
        }
        return new Page.Answer(
                status,
                type.isEmpty() ? ObjectJson.OCTETS : type,
                new byte[0],
                headers,
                new Content(call, object, from, to));
    }

    private static void override(
            StorageCall call, String parameter, String header, Map<String, String> headers) {
        String value = call.parameter(parameter);
        if (value != null) {
            headers.put(header, ObjectJson.attribute(parameter, value).strip());
        }
    }

    static Map<String, String> headers(BlobObject object) {
        Map<String, String> headers = new TreeMap<>();
        ObjectAttributes.Headers attributes = object.attributes().headers();
        put(headers, "content-encoding", attributes.contentEncoding());
        put(headers, "content-disposition", attributes.contentDisposition());
        put(headers, "content-language", attributes.contentLanguage());
        put(
                headers,
                "cache-control",
                attributes.cacheControl().isEmpty()
                        ? "private, max-age=0"
                        : attributes.cacheControl());
        headers.put("accept-ranges", "bytes");
        // An uploaded page must not act as a page of this server.
        headers.put("content-security-policy", "sandbox");
        headers.put("x-content-type-options", "nosniff");
        headers.put("etag", "\"" + StorageJson.etag(object.version()) + "\"");
        headers.put(
                "last-modified",
                HTTP_DATE.format(
                        Instant.EPOCH.plus(object.version().updatedMicros(), ChronoUnit.MICROS)));
        headers.put("x-goog-generation", String.valueOf(object.generation()));
        headers.put("x-goog-metageneration", String.valueOf(object.version().metageneration()));
        headers.put("x-goog-storage-class", object.attributes().storageClass());
        headers.put("x-goog-stored-content-length", String.valueOf(object.bytes()));
        headers.put(
                "x-goog-stored-content-encoding",
                attributes.contentEncoding().isEmpty() ? "identity" : attributes.contentEncoding());
        String md5 = object.content().md5();
        headers.put(
                "x-goog-hash",
                "crc32c="
                        + Checksums.text(object.content().crc32c())
                        + (md5.isEmpty() ? "" : ",md5=" + md5));
        object.attributes()
                .metadata()
                .forEach(
                        (key, value) -> {
                            if (TOKEN.matcher(key).matches() && VISIBLE.matcher(value).matches()) {
                                headers.put(
                                        "x-goog-meta-" + key.toLowerCase(Locale.ROOT),
                                        value.strip());
                            }
                        });
        return headers;
    }

    private static void put(Map<String, String> headers, String name, String value) {
        if (!value.isEmpty() && VISIBLE.matcher(value).matches()) {
            headers.put(name, value.strip());
        }
    }

    /** The bytes of a response. */
    private final class Content implements Page.Rest {
        private final long bytes;
        private final Transfers.Transfer transfer;
        private final ContentReader reader;

        Content(StorageCall call, BlobObject object, long from, long to) {
            this.bytes = to - from;
            this.transfer = transfers.begin();
            try {
                this.reader = call.blobs().objects().read(object, from, to);
            } catch (RuntimeException failed) {
                transfer.close();
                throw failed;
            }
        }

        @Override
        public byte @Nullable [] get() {
            byte[] piece = reader.next();
            if (piece != null) {
                transfers.sent(piece.length);
            }
            return piece;
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public void close() {
            try (transfer) {
                reader.close();
            }
        }
    }
}
