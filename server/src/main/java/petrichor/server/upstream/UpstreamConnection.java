package petrichor.server.upstream;

import com.google.auth.oauth2.GoogleCredentials;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.movement.upstream.UpstreamSettings;
import petrichor.server.config.UpstreamOptions;

/** Certificates and credentials for the upstream. Stateless. */
final class UpstreamConnection {
    private static final String SCOPE = "https://www.googleapis.com/auth/datastore";

    private UpstreamConnection() {}

    /** PERMISSION_DENIED if there are no credentials; they are not used yet. */
    static UpstreamSettings settings(UpstreamOptions options) {
        boolean secure = options.url().getScheme().equals("https");
        return new UpstreamSettings(
                options.url(),
                secure ? Optional.of(tls(options.tlsTrust())) : Optional.empty(),
                authorization(options),
                options.callTimeout(),
                options.shadowReads());
    }

    private static Supplier<String> authorization(UpstreamOptions options) {
        return switch (options.credentials()) {
            case UpstreamOptions.Credentials.None() -> () -> "";
            case UpstreamOptions.Credentials.TokenFile(Path file) -> {
                String token = token(file);
                yield () -> "Bearer " + token;
            }
            case UpstreamOptions.Credentials.ApplicationDefault() -> {
                GoogleCredentials credentials = applicationDefault();
                yield () -> authorization(credentials, options.url());
            }
        };
    }

    private static String token(Path file) {
        try {
            List<String> lines = Files.readAllLines(file);
            if (lines.isEmpty() || lines.getFirst().isBlank()) {
                throw PetrichorException.invalid(
                        "upstream.token-file {file} has no token in its first line", "file", file);
            }
            return lines.getFirst().strip();
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read upstream.token-file " + file, unreadable);
        }
    }

    private static GoogleCredentials applicationDefault() {
        try {
            return GoogleCredentials.getApplicationDefault().createScoped(SCOPE);
        } catch (IOException missing) {
            throw PetrichorException.of(
                    ErrorCode.PERMISSION_DENIED,
                    missing,
                    "There are no credentials for the upstream: set GOOGLE_APPLICATION_CREDENTIALS"
                            + " to a key file, run gcloud auth application-default login, or set"
                            + " upstream.credentials to none.");
        }
    }

    /** Fetches a new token before the present one expires. */
    private static String authorization(GoogleCredentials credentials, URI url) {
        try {
            Map<String, List<String>> headers = credentials.getRequestMetadata(url);
            List<String> values = headers.getOrDefault("Authorization", List.of());
            return values.isEmpty() ? "" : values.getFirst();
        } catch (IOException refused) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    refused,
                    "No access token for the upstream was obtained: {reason}",
                    "reason",
                    refused.getMessage());
        }
    }

    private static SSLContext tls(Optional<Path> trusted) {
        try {
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted.isEmpty() ? null : store(trusted.get()));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException unreadable) {
            throw FileProblem.of(
                    "cannot read upstream.tls-trust " + trusted.orElseThrow(), unreadable);
        } catch (GeneralSecurityException unusable) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    unusable,
                    "upstream.tls-trust {file} is not a PEM file with certificates",
                    "file",
                    trusted.map(Path::toString).orElse(""));
        }
    }

    private static KeyStore store(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(file)) {
            for (Certificate one :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("trusted-" + store.size(), one);
            }
        }
        if (store.size() == 0) {
            throw new GeneralSecurityException("no certificate in it");
        }
        return store;
    }
}
