package petrichor.apps.certificates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.router.AppRouter;
import petrichor.apps.router.Backends;
import petrichor.apps.router.RouterLimits;
import petrichor.apps.router.RouterSettings;
import petrichor.apps.router.tls.CertificateFiles;
import petrichor.apps.router.tls.CertificateStatus;
import petrichor.apps.router.tls.DevelopmentAuthority;
import petrichor.apps.router.tls.RouterCertificates;
import petrichor.base.TimeSource;
import petrichor.testing.process.Pause;
import petrichor.testing.process.PebbleServer;

/** Orders at Let's Encrypt's test server, which refuses a third of all nonces. */
@Timeout(300)
@Tag("slow")
class CertificateOrdersTest {
    private static final String HOST = "www.example.com";
    private static final Duration WITHIN = Duration.ofMinutes(1);

    @TempDir private Path folder;

    private final AtomicLong laterMicros = new AtomicLong();
    private final Set<String> hosts = ConcurrentHashMap.newKeySet();
    private @Nullable AppRouter opened;
    private @Nullable PebbleServer started;
    private @Nullable RouterCertificates found;
    private @Nullable CertificateOrders ordering;

    private final TimeSource time =
            new TimeSource() {
                @Override
                public long epochMicros() {
                    return TimeSource.SYSTEM.epochMicros() + laterMicros.get();
                }

                @Override
                public long monotonicNanos() {
                    return TimeSource.SYSTEM.monotonicNanos();
                }
            };

    private static <T> T known(@Nullable T value) {
        return Objects.requireNonNull(value);
    }

    @BeforeEach
    void open() {
        DevelopmentAuthority authority = DevelopmentAuthority.openOrCreate(folder.resolve("own"));
        CertificateFiles development = authority.issue("localhost", List.of("localhost"));
        RouterCertificates certificates =
                RouterCertificates.open(
                        () -> {
                            List<CertificateFiles> all = new ArrayList<>();
                            if (started != null) {
                                all.addAll(CertificateOrders.files(settings(), acme()));
                            }
                            all.add(development);
                            return all;
                        },
                        Duration.ofHours(1));
        found = certificates;
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        AppRouter.Surroundings plain =
                AppRouter.Surroundings.of(
                        new Backends() {
                            @Override
                            public CompletableFuture<Acquisition> acquire(Wanted wanted) {
                                return CompletableFuture.completedFuture(
                                        new Unavailable("none", Duration.ZERO));
                            }

                            @Override
                            public void release(petrichor.apps.router.Backend backend, Use use) {}
                        });
        opened =
                AppRouter.open(
                        new RouterSettings(
                                List.of(
                                        RouterSettings.Listener.http(any),
                                        RouterSettings.Listener.https(any)),
                                1,
                                443,
                                Optional.empty(),
                                RouterLimits.DEFAULT),
                        new AppRouter.Surroundings(
                                plain.backends(),
                                plain.headers(),
                                plain.visitors(),
                                plain.log(),
                                certificates,
                                plain.sources()));
        started =
                PebbleServer.start(
                        folder.resolve("pebble"),
                        new PebbleServer.Identity(
                                development.chain(), development.key(), authority.certificate()),
                        opened.addresses().getFirst().getPort());
    }

    @AfterEach
    void close() {
        stopOrdering();
        if (started != null) {
            started.close();
        }
        if (opened != null) {
            opened.close(Duration.ZERO);
        }
    }

    private Path acme() {
        return folder.resolve("acme");
    }

    private AcmeSettings settings() {
        return new AcmeSettings(
                known(started).directory(),
                Optional.of("ann@example.com"),
                Optional.of(known(started).authority()));
    }

    private void startOrdering() {
        startOrdering(settings());
    }

    private void startOrdering(AcmeSettings settings) {
        ordering = CertificateOrders.start(settings, acme(), known(found), () -> hosts, time);
    }

    private void stopOrdering() {
        if (ordering != null) {
            ordering.close();
        }
    }

    private CertificateStatus status(String host) {
        return known(ordering).status(host);
    }

    private void later(Duration more) {
        laterMicros.addAndGet(more.toNanos() / 1000);
    }

    private void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + WITHIN.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as(
                            "%s: %s %s",
                            what, hosts.stream().map(this::status).toList(), known(started).log())
                    .isLessThan(end);
            Pause.briefly();
        }
    }

    /** Of the router, for this host. */
    private X509Certificate served(String host) {
        try {
            SSLContext all = SSLContext.getInstance("TLS");
            all.init(null, new TrustManager[] {new Everyone()}, null);
            try (Socket socket =
                    all.getSocketFactory()
                            .createSocket(
                                    InetAddress.getLoopbackAddress(),
                                    known(opened).addresses().getLast().getPort())) {
                SSLSocket tls = (SSLSocket) socket;
                SSLParameters parameters = tls.getSSLParameters();
                parameters.setServerNames(List.of(new SNIHostName(host)));
                tls.setSSLParameters(parameters);
                tls.startHandshake();
                return (X509Certificate) tls.getSession().getPeerCertificates()[0];
            }
        } catch (IOException | java.security.GeneralSecurityException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static final class Everyone implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Test
    void certificatesAreOrderedAndRenewed() throws Exception {
        hosts.addAll(Set.of(HOST, "a.example.org", "*.example.org"));
        startOrdering();
        await(
                "both",
                () ->
                        hosts.stream().filter(host -> status(host).expires().isPresent()).count()
                                == 2);
        X509Certificate first = served(HOST);
        assertThat(first.getSubjectAlternativeNames().toString()).contains(HOST);
        assertThat(first.getIssuerX500Principal().getName()).contains("Pebble");
        assertThat(status("*.example.org").order()).isInstanceOf(CertificateStatus.Manual.class);
        try (Stream<Path> files = Files.walk(acme())) {
            List<Path> kept = files.filter(Files::isRegularFile).toList();
            assertThat(kept).hasSize(3);
            for (Path file : kept) {
                assertThat(Files.getPosixFilePermissions(file))
                        .as(file.toString())
                        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
            }
        }
        later(Duration.ofDays(59));
        Pause.of(Duration.ofSeconds(3));
        assertThat(served(HOST)).isEqualTo(first);
        later(Duration.ofDays(2));
        await("the renewal", () -> !served(HOST).equals(first));
        assertThat(served(HOST).getSubjectAlternativeNames().toString()).contains(HOST);
        assertThat(known(started).log()).contains("reject 30% of good nonces");
    }

    @Test
    void aFailedOrderKeepsTheCertificateAndIsRepeatedLater() throws Exception {
        hosts.add(HOST);
        startOrdering();
        await("a certificate", () -> status(HOST).expires().isPresent());
        X509Certificate first = served(HOST);
        known(started).forget(HOST);
        later(Duration.ofDays(61));
        await("a failure", () -> failures(HOST) == 1);
        assertThat(served(HOST)).isEqualTo(first);
        CertificateStatus.Failed failed = (CertificateStatus.Failed) status(HOST).order();
        assertThat(failed.reason()).contains(HOST);
        assertThat(Duration.between(now(), failed.next()))
                .isBetween(Duration.ofSeconds(30), CertificateOrders.RETRY_FIRST);

        stopOrdering();
        startOrdering();
        await("the failure after a restart", () -> failures(HOST) == 1);
        Pause.of(Duration.ofSeconds(2));
        assertThat(failures(HOST)).as("not repeated at once").isEqualTo(1);
        later(CertificateOrders.RETRY_FIRST);
        await("another failure", () -> failures(HOST) == 2);

        known(started).remember(HOST);
        later(CertificateOrders.RETRY_FIRST.multipliedBy(2));
        await("success", () -> !served(HOST).equals(first));
        await("no failure", () -> failures(HOST) == 0);
    }

    private Instant now() {
        return Instant.EPOCH.plus(time.epochMicros(), java.time.temporal.ChronoUnit.MICROS);
    }

    private int failures(String host) {
        return status(host).order() instanceof CertificateStatus.Failed failed
                ? failed.attempts()
                : 0;
    }

    @Test
    void refusalsAndOutagesOfTheAuthorityAreReported() {
        hosts.add(PebbleServer.BLOCKED);
        startOrdering();
        await("a refusal", () -> failures(PebbleServer.BLOCKED) == 1);
        assertThat(((CertificateStatus.Failed) status(PebbleServer.BLOCKED).order()).reason())
                .contains("issuance is forbidden by policy");
        assertThat(status(PebbleServer.BLOCKED).expires()).isEmpty();
        stopOrdering();
        hosts.clear();
        hosts.add(HOST);
        URI nobody = URI.create("https://localhost:1/dir");
        startOrdering(new AcmeSettings(nobody, Optional.empty(), Optional.empty()));
        await("an outage", () -> failures(HOST) == 1);
        assertThat(((CertificateStatus.Failed) status(HOST).order()).reason())
                .contains("https://localhost:1/dir cannot be reached");
    }

    @Test
    void delaysDoubleUpToHalfADay() {
        assertThat(CertificateOrders.delay(1)).isEqualTo(Duration.ofMinutes(2));
        assertThat(CertificateOrders.delay(4)).isEqualTo(Duration.ofMinutes(16));
        assertThat(CertificateOrders.delay(1000)).isEqualTo(CertificateOrders.RETRY_MAX);
    }
}
