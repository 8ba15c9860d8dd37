package petrichor.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import petrichor.base.PetrichorException;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.rpc.PeerCertificates;

/** The files of certificates in the configuration, which must be complete. Stateless. */
final class CertificateSettings {
    /** Certificate, key and authorities. */
    private static final int PEER_FILES = 3;

    private CertificateSettings() {}

    static Optional<FrontEndSettings.Tls> ofListener(Settings from) {
        Optional<Path> certificate = from.path(ConfigKey.TLS_CERTIFICATE);
        Optional<Path> key = from.path(ConfigKey.TLS_KEY);
        if (certificate.isPresent() != key.isPresent()) {
            throw PetrichorException.invalid(
                    "TLS needs both tls.certificate and tls.key; only one of them is set");
        }
        return certificate.flatMap(
                chain -> key.map(secret -> new FrontEndSettings.Tls(chain, secret)));
    }

    static Optional<PeerCertificates.Files> ofPeers(Settings from) {
        List<Path> files =
                Stream.of(
                                ConfigKey.CLUSTER_CERTIFICATE,
                                ConfigKey.CLUSTER_KEY,
                                ConfigKey.CLUSTER_AUTHORITY)
                        .flatMap(key -> from.path(key).stream())
                        .toList();
        if (files.isEmpty()) {
            return Optional.empty();
        }
        if (files.size() < PEER_FILES) {
            throw PetrichorException.invalid(
                    "TLS between servers needs cluster.certificate, cluster.key and"
                            + " cluster.authority; only some of them are set");
        }
        return Optional.of(new PeerCertificates.Files(files.get(0), files.get(1), files.get(2)));
    }
}
