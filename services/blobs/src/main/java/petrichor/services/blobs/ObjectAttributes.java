package petrichor.services.blobs;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the client says of an object.
 *
 * @param headers of responses with its content
 * @param storageClass such as {@code STANDARD}; without effect
 * @param metadata names and values chosen by the client
 * @param settings without effect here, as the front end encodes them
 */
public record ObjectAttributes(
        Headers headers, String storageClass, Map<String, String> metadata, String settings) {
    public static final String STANDARD = "STANDARD";
    public static final ObjectAttributes NONE =
            new ObjectAttributes(Headers.NONE, STANDARD, Map.of(), "");

    public ObjectAttributes {
        metadata = Collections.unmodifiableMap(new TreeMap<>(metadata));
    }

    /** Header fields of responses with the content; empty if not set. */
    public record Headers(
            String contentType,
            String contentEncoding,
            String contentDisposition,
            String contentLanguage,
            String cacheControl) {
        public static final Headers NONE = new Headers("", "", "", "", "");

        public static Headers ofType(String contentType) {
            return new Headers(contentType, "", "", "", "");
        }
    }

    public static ObjectAttributes ofType(String contentType) {
        return new ObjectAttributes(Headers.ofType(contentType), STANDARD, Map.of(), "");
    }
}
