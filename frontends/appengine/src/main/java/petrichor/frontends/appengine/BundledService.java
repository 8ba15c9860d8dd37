package petrichor.frontends.appengine;

import java.util.concurrent.CompletableFuture;

/**
 * One API of App Engine's bundled services. Runs on the server that owns the database of the
 * calling app. Thread-safe.
 */
public interface BundledService {
    /** Beginning of the names of methods that apps cannot call. */
    String PLATFORM = "_";

    /** The name that SDKs send, such as {@code memcache}. */
    String name();

    /**
     * Whether calls of this app wait for nothing at present. They run on the thread that received
     * the request; others have a thread each, so that their caller waits no longer than its
     * deadline.
     */
    default boolean answersAtOnce(String project) {
        return false;
    }

    /**
     * Executes a call and completes with the encoded response message. Runs on a virtual thread and
     * may block, unless it answers at once. The names of methods that only the platform calls begin
     * with {@link #PLATFORM}: calls of apps do not reach them.
     *
     * @throws ServiceError for errors that the SDK maps to an exception of this API
     * @throws petrichor.base.PetrichorException for failures of the platform
     */
    CompletableFuture<byte[]> call(ServiceCall call);
}
