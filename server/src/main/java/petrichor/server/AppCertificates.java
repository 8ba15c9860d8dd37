package petrichor.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.router.tls.CertificateFiles;
import petrichor.apps.router.tls.DevelopmentAuthority;
import petrichor.apps.router.tls.RouterCertificates;
import petrichor.base.FileProblem;
import petrichor.base.PrivateFolder;

/**
 * The certificates of apps: those that the operator has put into the folder, each as {@code
 * NAME.pem} (its chain) and {@code NAME-key.pem}; without any, one of a local authority for
 * development.
 */
final class AppCertificates {
    private static final Logger LOG = LoggerFactory.getLogger(AppCertificates.class);
    private static final String CHAIN = ".pem";
    private static final String KEY = "-key.pem";
    private static final String ISSUED = "apps";

    /** A certificate for development is valid for a year. */
    private static final Duration RENEWED_AFTER = Duration.ofDays(300);

    private final Path folder;
    private final String domain;

    private AppCertificates(Path folder, String domain) {
        this.folder = folder;
        this.domain = domain;
    }

    /**
     * @param reloadEvery how often the router looks for new files
     */
    static RouterCertificates open(Path folder, String domain, Duration reloadEvery) {
        return RouterCertificates.open(new AppCertificates(folder, domain)::list, reloadEvery);
    }

    private List<CertificateFiles> list() {
        try {
            PrivateFolder.create(folder);
            List<CertificateFiles> own = own(folder);
            return own.isEmpty() ? List.of(issued(folder.resolve("development"), domain)) : own;
        } catch (IOException failed) {
            throw FileProblem.of("cannot read the certificates in " + folder, failed);
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
