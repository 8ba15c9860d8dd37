package petrichor.apps.certificates;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.router.tls.CertificateFiles;
import petrichor.apps.router.tls.CertificateStatus;
import petrichor.apps.router.tls.RouterCertificates;
import petrichor.base.TimeSource;

/**
 * Orders a certificate for each host that has none, and a new one when a third of the lifetime is
 * left. A failed order is repeated after a delay that doubles; the certificate from before stays in
 * use. Failures are kept over restarts, so that these do not exhaust the authority's limits.
 * Thread-safe.
 */
public final class CertificateOrders implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateOrders.class);
    private static final Duration CHECK = Duration.ofSeconds(1);

    /** Let's Encrypt allows 5 failed validations of a host in an hour. */
    static final Duration RETRY_FIRST = Duration.ofMinutes(2);

    static final Duration RETRY_MAX = Duration.ofHours(12);

    /** Let's Encrypt recommends to renew when a third of the lifetime is left. */
    private static final int RENEWED_AT = 3;

    private static final int RUNNING_MAX = 4;

    private final AcmeFolder folder;
    private final RouterCertificates certificates;
    private final AcmeClient client;
    private final TimeSource time;
    private final Map<String, OrderAttempts> failed = new ConcurrentHashMap<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final Set<String> running = ConcurrentHashMap.newKeySet();
    private final Semaphore places = new Semaphore(RUNNING_MAX);
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofVirtual().name("certificate-orders").factory());

    private CertificateOrders(
            AcmeSettings settings, Path parent, RouterCertificates certificates, TimeSource time) {
        this.folder = AcmeFolder.open(parent, settings.directory());
        this.certificates = certificates;
        this.client = new AcmeClient(settings, folder, certificates.challenges());
        this.time = time;
    }

    /**
     * @param parent has a folder per ACME server
     * @param certificates include {@link #files}
     * @param hosts that need a certificate, in lower case; those with a wildcard are left out
     */
    public static CertificateOrders start(
            AcmeSettings settings,
            Path parent,
            RouterCertificates certificates,
            Supplier<Set<String>> hosts,
            TimeSource time) {
        CertificateOrders orders = new CertificateOrders(settings, parent, certificates, time);
        var _ =
                orders.clock.scheduleWithFixedDelay(
                        () -> orders.check(hosts), 0, CHECK.toMillis(), TimeUnit.MILLISECONDS);
        return orders;
    }

    /** The certificates that an ACME server has issued. */
    public static List<CertificateFiles> files(AcmeSettings settings, Path parent) {
        return AcmeFolder.open(parent, settings.directory()).certificates();
    }

    private Instant now() {
        return Instant.EPOCH.plus(time.epochMicros(), ChronoUnit.MICROS);
    }

    private void check(Supplier<Set<String>> wanted) {
        try {
            Set<String> hosts = wanted.get();
            List<String> gone = seen.stream().filter(host -> !hosts.contains(host)).toList();
            for (String host : gone) {
                // added again, its order starts at once
                seen.remove(host);
                failed.remove(host);
                folder.forget(host);
            }
            for (String host : hosts) {
                if (seen.add(host)) {
                    folder.attempts(host).ifPresent(known -> failed.put(host, known));
                }
                if (isDue(host) && running.add(host)) {
                    workers.execute(() -> run(host));
                }
            }
        } catch (RuntimeException unexpected) {
            LOG.error("certificates are not ordered", unexpected);
        }
    }

    private boolean isDue(String host) {
        OrderAttempts attempts = failed.get(host);
        return isOrdered(host)
                && (attempts == null || !now().isBefore(attempts.next()))
                && certificates
                        .find(host)
                        .filter(known -> folder.contains(known.files()))
                        .map(known -> !now().isBefore(renewal(known)))
                        .orElse(true);
    }

    /** Whether its certificates come from here: not those of wildcards, or of the operator. */
    private boolean isOrdered(String host) {
        Optional<RouterCertificates.Known> known = certificates.find(host);
        return !host.startsWith("*")
                && (known.isEmpty()
                        || folder.contains(known.get().files())
                        || !known.get().expires().isAfter(now()));
    }

    private static Instant renewal(RouterCertificates.Known known) {
        Duration lifetime = Duration.between(known.issued(), known.expires());
        return known.expires().minus(lifetime.dividedBy(RENEWED_AT));
    }

    private void run(String host) {
        try {
            places.acquire();
            try {
                folder.store(host, client.order(host));
                failed.remove(host);
                var _ = certificates.reload();
                LOG.info("{} has a new certificate", host);
            } finally {
                places.release();
            }
        } catch (OrderFailure failure) {
            failed(host, failure);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException unexpected) {
            LOG.error("the order of a certificate for {} failed", host, unexpected);
            failed(host, new OrderFailure(String.valueOf(unexpected), unexpected, null));
        } finally {
            running.remove(host);
        }
    }

    private void failed(String host, OrderFailure failure) {
        int failures = Optional.ofNullable(failed.get(host)).map(OrderAttempts::failures).orElse(0);
        Instant next = now().plus(delay(failures + 1));
        if (failure.notBefore().isPresent() && failure.notBefore().get().isAfter(next)) {
            next = failure.notBefore().get();
        }
        OrderAttempts attempts = new OrderAttempts(failures + 1, failure.reason(), next);
        LOG.warn(
                "{} has no new certificate: {}; the next attempt is at {}",
                host,
                failure.reason(),
                next);
        failed.put(host, attempts);
        folder.failed(host, attempts);
    }

    static Duration delay(int failures) {
        Duration delay = RETRY_FIRST;
        for (int i = 1; i < failures && delay.compareTo(RETRY_MAX) < 0; i++) {
            delay = delay.multipliedBy(2);
        }
        return delay.compareTo(RETRY_MAX) < 0 ? delay : RETRY_MAX;
    }

    public CertificateStatus status(String host) {
        OrderAttempts attempts = failed.get(host);
        CertificateStatus.Order order;
        if (!isOrdered(host)) {
            order = new CertificateStatus.Manual();
        } else if (running.contains(host)) {
            order = new CertificateStatus.Running();
        } else if (attempts != null) {
            order =
                    new CertificateStatus.Failed(
                            attempts.failures(), attempts.reason(), attempts.next());
        } else {
            order = new CertificateStatus.Waiting();
        }
        return new CertificateStatus(
                certificates.find(host).map(RouterCertificates.Known::expires), order);
    }

    @Override
    public void close() {
        clock.shutdownNow();
        workers.shutdownNow();
    }
}
