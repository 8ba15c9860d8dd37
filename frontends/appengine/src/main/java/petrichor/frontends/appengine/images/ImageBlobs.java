package petrichor.frontends.appengine.images;

import java.util.Optional;
import java.util.OptionalLong;

/** Blobs as this API uses them; over the service of blobs. Thread-safe. */
public interface ImageBlobs {
    /** The size of a blob; empty if the project has no such blob. */
    OptionalLong bytes(String project, String blobKey);

    /**
     * The content of a blob; empty if the project has no such blob. Fails with RESOURCE_EXHAUSTED
     * if it has more than {@code bytesMax} bytes.
     */
    Optional<byte[]> read(String project, String blobKey, int bytesMax);

    /**
     * The URL that serves a blob as an image; the same one each time. Empty if the project has no
     * such blob. Needs the owner of the project's database.
     */
    Optional<String> serve(String project, String blobKey);

    /** Whether the blob has a URL. Needs the owner of the project's database. */
    boolean isServed(String project, String blobKey);

    /** From now on the URL serves nothing. Needs the owner of the project's database. */
    void stopServing(String project, String blobKey);
}
