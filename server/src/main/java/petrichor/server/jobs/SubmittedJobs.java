package petrichor.server.jobs;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.service.JobService;
import petrichor.jobs.service.JobSettings;
import petrichor.server.config.ListenAddress;
import petrichor.server.config.ServerConfig;
import petrichor.server.metrics.JobMeter;
import petrichor.server.metrics.Readings;

/**
 * The job service, opened on first use: a server without jobs has neither its folder nor its
 * processes. Thread-safe.
 */
public final class SubmittedJobs implements AutoCloseable {
    private final ServerConfig config;
    private final JobMeter meter = new JobMeter();
    private @Nullable JobService service;
    private @Nullable Path temporary;
    private boolean closed;

    public SubmittedJobs(ServerConfig config) {
        this.config = config;
    }

    /** PERMISSION_DENIED if unauthenticated clients could run programs on this machine. */
    synchronized JobService service() {
        if (closed) {
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "the server is stopping");
        }
        JobService open = service;
        if (open == null) {
            refuseWhereAnybodyMaySubmit();
            open = JobService.open(settings(), meter);
            service = open;
        }
        return open;
    }

    /**
     * Releases leases that jobs held when the server was killed, and deletes expired files of
     * resumable jobs. Runs at the start and not on the first request for jobs, because leased
     * machines cost money.
     */
    public void settle() {
        Optional<Path> kept = keptFolder();
        if (config.jobs().enabled()
                && kept.isPresent()
                && JobService.hasLeft(JobSettings.in(kept.get()))) {
            Thread.ofVirtual()
                    .name("release leases")
                    .start(
                            () -> {
                                try {
                                    service();
                                } catch (PetrichorException e) {
                                    System.getLogger(SubmittedJobs.class.getName())
                                            .log(
                                                    System.Logger.Level.WARNING,
                                                    "machines of jobs were not released",
                                                    e);
                                }
                            });
        }
    }

    public void register(PrometheusRegistry registry) {
        meter.register(registry);
        registry.register(this::readings);
    }

    private synchronized MetricSnapshots readings() {
        JobService open = service;
        return new Readings()
                .gauge("petrichor_jobs_running", "Running jobs.", open == null ? 0 : open.running())
                .gauge("petrichor_jobs_queued", "Queued jobs.", open == null ? 0 : open.queued())
                .snapshots();
    }

    private void refuseWhereAnybodyMaySubmit() {
        if (!config.jobs().enabled()) {
            throw PetrichorException.of(
                    ErrorCode.PERMISSION_DENIED,
                    "jobs are disabled on this server; set jobs.enabled to enable them");
        }
        boolean alone = ListenAddress.of(config).stream().allMatch(InetAddress::isLoopbackAddress);
        if (!alone && !config.auth().required()) {
            throw PetrichorException.of(
                    ErrorCode.PERMISSION_DENIED,
                    "this server listens on other addresses without authentication, so that any"
                        + " client could run programs on it. Set auth.token-file to enable jobs");
        }
    }

    private JobSettings settings() {
        ServerConfig.Jobs jobs = config.jobs();
        JobSettings settings =
                JobSettings.in(folder())
                        .withRunningMax(jobs.runningMax())
                        .withQueuedMax(jobs.queuedMax())
                        .withJobMemoryBytes(jobs.memoryBytes())
                        .withSpillBytesMax(jobs.spillBytesMax())
                        .withKept(jobs.keptBytesMax(), jobs.keptTimeMax());
        return keptFolder().isPresent() ? settings : settings.keepingNothing();
    }

    /** The folder that survives a restart of the server. */
    private Optional<Path> keptFolder() {
        if (config.jobs().folder().isPresent() || config.store().memory()) {
            return config.jobs().folder();
        }
        return Optional.of(config.store().data().resolve("jobs"));
    }

    private Path folder() {
        Optional<Path> kept = keptFolder();
        if (kept.isPresent()) {
            return kept.get();
        }
        try {
            Path made = Files.createTempDirectory("petrichor-jobs-");
            temporary = made;
            return made;
        } catch (IOException e) {
            throw FileProblem.of("cannot create a temporary folder for jobs", e);
        }
    }

    /** Cancels all jobs. */
    @Override
    public void close() {
        JobService open;
        synchronized (this) {
            closed = true;
            open = service;
        }
        if (open != null) {
            open.close();
        }
        Path made = temporary;
        if (made != null) {
            try (var below = Files.walk(made)) {
                for (Path each : below.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            } catch (IOException left) {
                System.getLogger(SubmittedJobs.class.getName())
                        .log(System.Logger.Level.WARNING, "cannot remove {0}: {1}", made, left);
            }
        }
    }
}
