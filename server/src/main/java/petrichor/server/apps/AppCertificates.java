package petrichor.server.apps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.certificates.AcmeSettings;
import petrichor.apps.certificates.CertificateOrders;
import petrichor.apps.router.tls.CertificateFiles;
import petrichor.apps.router.tls.CertificateStatus;
import petrichor.apps.router.tls.DevelopmentAuthority;
import petrichor.apps.router.tls.RouterCertificates;
import petrichor.base.FileProblem;
import petrichor.base.PrivateFolder;
import petrichor.base.TimeSource;
import petrichor.server.config.RouterOptions;

/**
 * The certificates of apps: those that the operator has put into the folder, each as {@code
 * NAME.pem} (its chain) and {@code NAME-key.pem}; without any, one of a local authority for
 * development. Besides, those that an ACME server issues for the domains of apps. Thread-safe.
 */
final class AppCertificates implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppCertificates.class);
    private static final String CHAIN = ".pem";
    private static final String KEY = "-key.pem";
    private static final String ISSUED = "apps";

    /** A certificate for development is valid for a year. */
    private static final Duration RENEWED_AFTER = Duration.ofDays(300);

    private static final String ACME = "acme";

    private final Path folder;
    private final String domain;
    private final Optional<AcmeSettings> acme;
    private final RouterCertificates certificates;
    private @Nullable CertificateOrders orders;

    /**
     * @param folder of certificates
     * @param domain of the platform
     */
    AppCertificates(Path folder, String domain, RouterOptions options) {
        this.folder = folder;
        this.domain = domain;
        this.acme = options.acme();
        this.certificates = RouterCertificates.open(this::list, options.reloadEvery());
    }

    RouterCertificates router() {
        return certificates;
    }

    /** Orders certificates for the domains of apps, if that is configured. */
    synchronized void order(Supplier<Set<String>> domains) {
        acme.ifPresent(
                settings ->
                        orders =
                                CertificateOrders.start(
                                        settings,
                                        folder.resolve(ACME),
                                        certificates,
                                        domains,
                                        TimeSource.SYSTEM));
    }

    synchronized CertificateStatus status(String host) {
        return orders == null
                ? new CertificateStatus(
                        certificates.find(host).map(RouterCertificates.Known::expires),
                        new CertificateStatus.Manual())
                : orders.status(host);
    }

    private List<CertificateFiles> list() {
        try {
            PrivateFolder.create(folder);
            List<CertificateFiles> all = new ArrayList<>(own(folder));
            if (all.isEmpty()) {
                all.add(issued(folder.resolve("development"), domain));
            }
            acme.ifPresent(
                    settings ->
                            all.addAll(CertificateOrders.files(settings, folder.resolve(ACME))));
            return all;
        } catch (IOException failed) {
            throw FileProblem.of("cannot read the certificates in " + folder, failed);
        }
    }

    @Override
    public synchronized void close() {
        if (orders != null) {
            orders.close();
        }
    }

    private static List<CertificateFiles> own(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(KEY))
                    .sorted()
                    .map(key -> new CertificateFiles(chain(key), key))
                    .toList();
        }
    }

    private static Path chain(Path key) {
        String name = key.getFileName().toString();
        return key.resolveSibling(name.substring(0, name.length() - KEY.length()) + CHAIN);
    }

    private static CertificateFiles issued(Path folder, String domain) throws IOException {
        Path chain = folder.resolve(ISSUED + CHAIN);
        boolean valid =
                Files.exists(chain)
                        && Files.getLastModifiedTime(chain)
                                .toInstant()
                                .isAfter(Instant.now().minus(RENEWED_AFTER));
        if (valid) {
            return new CertificateFiles(chain, folder.resolve(ISSUED + KEY));
        }
        DevelopmentAuthority authority = DevelopmentAuthority.openOrCreate(folder);
        LOG.info(
                "apps have a certificate for development; let clients trust {}",
                authority.certificate());
        return authority.issue(ISSUED, List.of(domain, "*." + domain));
    }
}
