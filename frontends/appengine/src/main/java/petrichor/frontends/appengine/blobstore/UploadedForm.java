package petrichor.frontends.appengine.blobstore;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Locale;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.wire.UploadedBlob;
import petrichor.frontends.http.MultipartReader;

/**
 * The form as the app receives it: with the fields as they were sent, and in the place of each file
 * a description of its blob, which SDKs parse. Confined to one thread.
 */
final class UploadedForm {
    /** All fields together. */
    static final int BYTES_MAX = 1 << 20;

    private static final DateTimeFormatter CREATION =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS").withZone(ZoneOffset.UTC);

    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final String boundary;

    /**
     * @param boundary occurs in no field
     */
    UploadedForm(String boundary) {
        this.boundary = boundary;
    }

    String contentType() {
        return "multipart/form-data; boundary=\"" + boundary + "\"";
    }

    void addField(MultipartReader.Part part, MultipartReader reader) {
        begin();
        part.headers().forEach(this::header);
        line("");
        for (byte[] piece = reader.next(); piece != null; piece = reader.next()) {
            requireBelowLimit(piece.length);
            body.writeBytes(piece);
        }
        line("");
    }

    /**
     * @param storageName {@code /gs/BUCKET/OBJECT}; empty if the app named no bucket
     */
    void addBlob(MultipartReader.Part part, UploadedBlob blob, String storageName) {
        String disposition = part.headers().getOrDefault("content-disposition", "");
        begin();
        header(
                "content-type",
                "message/external-body; blob-key=\""
                        + blob.getBlobKey()
                        + "\"; access-type=\"X-AppEngine-BlobKey\"");
        header("mime-version", "1.0");
        header("content-disposition", disposition);
        line("");
        header("content-type", blob.getContentType());
        header("mime-version", "1.0");
        header("content-length", String.valueOf(blob.getBytes()));
        header(
                "content-md5",
                Base64.getUrlEncoder()
                        .encodeToString(blob.getMd5().getBytes(StandardCharsets.US_ASCII)));
        header("content-disposition", disposition);
        header(
                "x-appengine-upload-creation",
                CREATION.format(Instant.EPOCH.plus(blob.getCreatedMicros(), ChronoUnit.MICROS)));
        if (!storageName.isEmpty()) {
            header("x-appengine-cloud-storage-object", storageName);
        }
        line("");
        line("");
    }

    byte[] finished() {
        line("--" + boundary + "--");
        return body.toByteArray();
    }

    private void begin() {
        requireBelowLimit(0);
        line("--" + boundary);
    }

    private void header(String name, String value) {
        line(capitalized(name) + ": " + value);
    }

    /** Some parsers of forms distinguish the case of names. */
    private static String capitalized(String name) {
        StringBuilder capitalized = new StringBuilder(name.toLowerCase(Locale.ROOT));
        for (int at = 0; at < name.length(); at++) {
            if (at == 0 || name.charAt(at - 1) == '-') {
                capitalized.setCharAt(at, Character.toUpperCase(name.charAt(at)));
            }
        }
        return capitalized.toString();
    }

    private void line(String text) {
        body.writeBytes((text + "\r\n").getBytes(StandardCharsets.UTF_8));
    }

    private void requireBelowLimit(int more) {
        if (body.size() + more > BYTES_MAX) {
            throw PetrichorException.invalid(
                    "the fields of the form have more than {bytesMax} bytes",
                    "bytesMax",
                    BYTES_MAX);
        }
    }
}
