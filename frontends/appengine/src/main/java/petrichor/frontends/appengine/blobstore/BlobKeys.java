package petrichor.frontends.appengine.blobstore;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.Blobs;
import petrichor.services.blobs.Bucket;

/**
 * Keys of blobs. The key of an uploaded blob is random, and names an object in the app's default
 * bucket. The key of any other object contains its name, as in Google's SDK. An app reads and
 * deletes blobs in buckets of its own project only. Thread-safe.
 */
final class BlobKeys {
    static final String GOOGLE_STORAGE = "/gs/";

    private static final String ENCODED = "encoded_gs_file:";
    private static final String FOLDER = "_ah/blobs/";
    private static final int RANDOM_BYTES = 24;

    private final SecureRandom random;

    BlobKeys(SecureRandom random) {
        this.random = random;
    }

    /** An object of a bucket. */
    record Place(String bucket, String object) {}

    String next() {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** The default bucket of an app, as {@code app_identity_service} names it. */
    static String defaultBucket(String project) {
        int colon = project.indexOf(':');
        return colon < 0
                ? project + ".appspot.com"
                : project.substring(colon + 1)
                        + "."
                        + project.substring(0, colon)
                        + ".a.appspot.com";
    }

    /**
     * @param name {@code bucket/object}
     */
    static String encoded(String name) {
        return ENCODED
                + Base64.getUrlEncoder().encodeToString(name.getBytes(StandardCharsets.UTF_8));
    }

    /** The text in a key of {@link #encoded}. */
    static Optional<String> decoded(String key) {
        if (!key.startsWith(ENCODED)) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new String(
                            Base64.getUrlDecoder().decode(key.substring(ENCODED.length())),
                            StandardCharsets.UTF_8));
        } catch (IllegalArgumentException damaged) {
            return Optional.empty();
        }
    }

    /** Where the blob with this key is, if there is one. */
    static Place place(String project, String key) {
        return decoded(key)
                .map(BlobKeys::split)
                .orElseGet(() -> new Place(defaultBucket(project), FOLDER + key));
    }

    static Place split(String name) {
        int slash = name.indexOf('/');
        return slash < 0
                ? new Place(name, "")
                : new Place(name.substring(0, slash), name.substring(slash + 1));
    }

    /** The live version of a blob of this project. */
    static Optional<BlobObject> find(Blobs blobs, String project, String key) {
        Place place = place(project, key);
        Optional<Bucket> bucket = blobs.buckets().find(place.bucket());
        return bucket.filter(found -> found.project().equals(project))
                .flatMap(_ -> blobs.objects().find(place.bucket(), place.object(), null));
    }
}
