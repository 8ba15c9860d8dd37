package petrichor.frontends.appengine.images;

import java.util.Optional;

/** Blobs as this API uses them; over the service of blobs. Thread-safe. */
public interface ImageBlobs {
    /**
     * The content of a blob; empty if the project has no such blob. Fails with RESOURCE_EXHAUSTED
     * if it has more than {@code bytesMax} bytes.
     */
    Optional<byte[]> read(String project, String blobKey, int bytesMax);

    /**
     * The URL that serves a blob as an image; the same one each time. Empty if the project has no
     * such blob.
     */
    Optional<String> serve(String project, String blobKey, boolean secure);

    /** From now on the URL serves nothing. */
    void stopServing(String project, String blobKey);

    /** A platform without blobs. */
    ImageBlobs NONE =
            new ImageBlobs() {
                @Override
                public Optional<byte[]> read(String project, String blobKey, int bytesMax) {
                    return Optional.empty();
                }

                @Override
                public Optional<String> serve(String project, String blobKey, boolean secure) {
                    return Optional.empty();
                }

                @Override
                public void stopServing(String project, String blobKey) {}
            };
}
