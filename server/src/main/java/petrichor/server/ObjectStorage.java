package petrichor.server;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.StorageQuota;
import petrichor.base.TimeSource;
import petrichor.frontends.http.Page;
import petrichor.frontends.storage.StorageFrontEnd;
import petrichor.server.config.AppServiceSettings;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.Data;
import petrichor.services.blobs.Blobs;
import petrichor.services.blobs.content.BlobContent;
import petrichor.services.blobs.content.FolderContent;
import petrichor.services.blobs.content.RowContent;
import petrichor.services.blobs.s3.S3Address;
import petrichor.services.blobs.s3.S3Content;

/**
 * The objects of all projects, and the Cloud Storage API. The first request creates the service.
 * Thread-safe.
 */
final class ObjectStorage implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ObjectStorage.class);

    private static final int COLLECTION_S = 60;

    /** Reads all contents; only a crash makes it necessary. */
    private static final int ORPHANS_H = 24;

    private static final int ORPHANS_FIRST_H = 1;

    private final Supplier<Data> data;
    private final Place place;
    private final StorageFrontEnd frontEnd;
    private volatile StorageQuota quota = StorageQuota.NONE;
    private @Nullable Blobs blobs;
    private @Nullable Path temporary;
    private @Nullable ScheduledExecutorService clock;
    private boolean closed;

    /** Where the contents of objects are. */
    sealed interface Place {
        record Folder(Path path) implements Place {}

        /** In an object store. */
        record Bucket(S3Address address) implements Place {}

        /** Deleted when the server stops. */
        record TemporaryFolder() implements Place {}

        /** Rows of the store, which all servers share. */
        record Rows() implements Place {}

        static Place of(ServerConfig config) {
            AppServiceSettings.Storage settings = config.apps().services().storage();
            if (settings.folder().isPresent()) {
                return new Folder(settings.folder().get());
            }
            if (settings.bucket().isPresent()) {
                return new Bucket(settings.bucket().get());
            }
            if (config.store().memory()) {
                return new TemporaryFolder();
            }
            boolean shared =
                    config.store().url().isPresent() || config.cluster().coordination().isPresent();
            return shared ? new Rows() : new Folder(config.store().data().resolve("blobs"));
        }
    }

    /**
     * @param data current data, which a reset replaces
     * @param memory of the process
     */
    ObjectStorage(
            Supplier<Data> data, Place place, MemoryBudget memory, PrometheusRegistry registry) {
        this.data = data;
        this.place = place;
        this.frontEnd = new StorageFrontEnd(this::blobs, memory, TimeSource.SYSTEM, registry);
    }

    /** From now on, objects that would exceed this quota are refused. */
    void limit(StorageQuota storage) {
        quota = storage;
    }

    /** Whether the databases contain the contents of objects. */
    boolean contentInRows() {
        return place instanceof Place.Rows;
    }

    synchronized Blobs blobs() {
        if (closed) {
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "The server is shutting down.");
        }
        Blobs known = blobs;
        if (known == null) {
            known =
                    new Blobs(
                            () -> data.get().routed(),
                            content(),
                            TimeSource.SYSTEM,
                            new SecureRandom(),
                            (project, bytes) -> quota.require(project, bytes));
            blobs = known;
        }
        return known;
    }

    private BlobContent content() {
        return switch (place) {
            case Place.Folder(Path path) -> FolderContent.open(path);
            case Place.Bucket(S3Address address) -> S3Content.open(address);
            case Place.Rows _ ->
                    new RowContent(() -> data.get().routed(), data.get().valueBytesMax());
            case Place.TemporaryFolder _ -> {
                Path created = createTemporary();
                temporary = created;
                yield FolderContent.open(created);
            }
        };
    }

    private static Path createTemporary() {
        try {
            return Files.createTempDirectory("petrichor-blobs-");
        } catch (IOException e) {
            throw FileProblem.of("cannot create a temporary folder for the contents of objects", e);
        }
    }

    /**
     * @param secure whether clients use TLS
     */
    List<Page> pages(boolean secure) {
        return frontEnd.pages(secure);
    }

    /** Begins to delete contents that are no longer needed. */
    void start() {
        ScheduledExecutorService threads =
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().name("blob-collector").daemon().factory());
        var _ =
                threads.scheduleWithFixedDelay(
                        () -> collect(() -> blobs().collector().collect()),
                        COLLECTION_S,
                        COLLECTION_S,
                        TimeUnit.SECONDS);
        var _ =
                threads.scheduleWithFixedDelay(
                        () -> collect(() -> blobs().collector().collectOrphans()),
                        ORPHANS_FIRST_H,
                        ORPHANS_H,
                        TimeUnit.HOURS);
        clock = threads;
    }

    private void collect(Runnable work) {
        try {
            // Before the first bucket there is nothing to delete, and nothing to load.
            if (data.get().routed().names().contains(Blobs.DIRECTORY)) {
                work.run();
            }
        } catch (RuntimeException e) {
            LOG.warn("unneeded contents of objects were not deleted; trying again", e);
        }
    }

    /** Call when no request is running any more. */
    @Override
    public void close() {
        Blobs last;
        Path made;
        synchronized (this) {
            closed = true;
            last = blobs;
            made = temporary;
            blobs = null;
        }
        if (clock != null) {
            clock.shutdownNow();
        }
        if (last != null) {
            last.close();
        }
        if (made != null) {
            delete(made);
        }
    }

    private static void delete(Path made) {
        try (var below = Files.walk(made)) {
            for (Path each : below.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            LOG.warn("cannot remove {}", made, e);
        }
    }
}
