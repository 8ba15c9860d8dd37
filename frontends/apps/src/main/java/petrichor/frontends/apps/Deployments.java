package petrichor.frontends.apps;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.apps.hosting.Hosting;
import petrichor.apps.router.table.VersionName;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;

/** What deployments of all kinds share: the hosting, and their limits. Thread-safe. */
public final class Deployments {
    /** Of an archive, or of the objects in a push. */
    static final long ARCHIVE_BYTES_MAX = 512L << 20;

    /** Deployments that receive their archive or run at one time; others are refused. */
    private static final int DEPLOYMENTS_MAX = 8;

    private final Supplier<Hosting> hosting;
    private final Function<VersionName, String> url;
    private final Semaphore permits = new Semaphore(DEPLOYMENTS_MAX);

    /**
     * @param hosting is called by the first deployment
     * @param url of a version
     */
    public Deployments(Supplier<Hosting> hosting, Function<VersionName, String> url) {
        this.hosting = hosting;
        this.url = url;
    }

    Hosting hosting() {
        return hosting.get();
    }

    String url(VersionName version) {
        return url.apply(version);
    }

    /** One for each deployment. */
    Semaphore permits() {
        return permits;
    }

    static void delete(@Nullable Path archive) {
        if (archive != null) {
            try {
                Files.deleteIfExists(archive);
            } catch (IOException e) {
                throw FileProblem.of("cannot delete " + archive, e);
            }
        }
    }

    /** A temporary file with the body of a request. */
    static Path received(Page.Request request) throws IOException {
        Path archive = Files.createTempFile("petrichor-deployment", ".archive");
        boolean complete = false;
        try (OutputStream out = Files.newOutputStream(archive)) {
            long bytes = 0;
            for (byte[] next = request.raw().body().next();
                    next != null;
                    next = request.raw().body().next()) {
                bytes += next.length;
                if (bytes > ARCHIVE_BYTES_MAX) {
                    throw PetrichorException.invalid(
                            "the archive has more than {bytesMax} bytes; leave files out with"
                                    + " .gcloudignore",
                            "bytesMax",
                            ARCHIVE_BYTES_MAX);
                }
                out.write(next);
            }
            complete = true;
            return archive;
        } finally {
            if (!complete) {
                delete(archive);
            }
        }
    }
}
