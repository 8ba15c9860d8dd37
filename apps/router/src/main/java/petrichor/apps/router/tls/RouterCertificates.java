package petrichor.apps.router.tls;

import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.router.tls.ServedCertificate.Content;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The certificates of the router, by host. Handshakes use the state after the last {@link #reload};
 * connections that are open keep their certificate. Thread-safe.
 */
public final class RouterCertificates {
    private static final Logger LOG = LoggerFactory.getLogger(RouterCertificates.class);
    private static final Duration RELOAD = Duration.ofSeconds(10);

    private final CertificateSource source;
    private final Duration reloadEvery;
    private final AcmeChallenges challenges = new AcmeChallenges();
    private volatile Loaded loaded;

    /**
     * @param refused content that cannot be used, and was logged
     */
    private record Loaded(
            List<ServedCertificate> certificates,
            Map<String, ServedCertificate> byHost,
            Map<CertificateFiles, Content> refused) {
        static final Loaded NONE = new Loaded(List.of(), Map.of(), Map.of());
    }

    /**
     * A certificate for a host.
     *
     * @param issued before which clients refuse it
     * @param expires after which clients refuse it
     */
    public record Known(CertificateFiles files, Instant issued, Instant expires) {}

    private RouterCertificates(CertificateSource source, Duration reloadEvery) {
        this.source = source;
        this.reloadEvery = reloadEvery;
        this.loaded = load(Loaded.NONE);
    }

    /** Certificates that are always in the same files. */
    public static RouterCertificates open(List<CertificateFiles> files) {
        List<CertificateFiles> always = List.copyOf(files);
        return open(() -> always, RELOAD);
    }

    /**
     * Logs certificates that cannot be used; FAILED_PRECONDITION if no other is left.
     *
     * @param reloadEvery how often the router looks for new files and content
     */
    public static RouterCertificates open(CertificateSource source, Duration reloadEvery) {
        return new RouterCertificates(source, reloadEvery);
    }

    public Duration reloadEvery() {
        return reloadEvery;
    }

    /** What the router answers to a certificate authority. */
    public AcmeChallenges challenges() {
        return challenges;
    }

    /** The TLS context for a host; any one if there is none for it. */
    public SslContext context(@Nullable String host) {
        Loaded current = loaded;
        ServedCertificate found = host == null ? null : find(current, host);
        return (found == null ? current.certificates().getFirst() : found).context();
    }

    /** The certificate that names the host, also by a wildcard. */
    public Optional<Known> find(String host) {
        return Optional.ofNullable(find(loaded, host))
                .map(found -> new Known(found.files(), found.issued(), found.expires()));
    }

    private static @Nullable ServedCertificate find(Loaded current, String host) {
        String name = host.toLowerCase(Locale.ROOT);
        ServedCertificate exact = current.byHost().get(name);
        int dot = name.indexOf('.');
        return exact == null && dot > 0 ? current.byHost().get("*" + name.substring(dot)) : exact;
    }

    /**
     * Looks for new files and changed ones. Where the new content cannot be used, for example
     * because only one of two files was replaced so far, the certificate from before stays. Blocks.
     *
     * @return whether the certificates have changed
     */
    public synchronized boolean reload() {
        Loaded before = loaded;
        Loaded after = load(before);
        loaded = after;
        return !after.certificates().equals(before.certificates());
    }

    private Loaded load(Loaded before) {
        Map<CertificateFiles, ServedCertificate> known = new HashMap<>();
        before.certificates().forEach(each -> known.put(each.files(), each));
        List<ServedCertificate> certificates = new ArrayList<>();
        Map<CertificateFiles, Content> refused = new HashMap<>();
        Exception problem = null;
        for (CertificateFiles files : source.list()) {
            ServedCertificate served = known.get(files);
            Content content = null;
            try {
                content = Content.read(files);
                if (served == null || !content.equals(served.content())) {
                    served = ServedCertificate.of(files, content);
                }
            } catch (IOException | GeneralSecurityException | IllegalArgumentException unusable) {
                problem = unusable;
                Content seen = content == null ? new Content("", "") : content;
                if (!seen.equals(before.refused().get(files))) {
                    LOG.warn("{}", unusable(files, unusable).getMessage());
                }
                refused.put(files, seen);
            }
            if (served != null) {
                certificates.add(served);
            }
        }
        if (certificates.isEmpty()) {
            if (before.certificates().isEmpty()) {
                throw none(refused, problem);
            }
            return new Loaded(before.certificates(), before.byHost(), Map.copyOf(refused));
        }
        Map<String, ServedCertificate> byHost = new LinkedHashMap<>();
        for (ServedCertificate each : certificates) {
            each.hosts().forEach(host -> byHost.putIfAbsent(host, each));
        }
        return new Loaded(List.copyOf(certificates), Map.copyOf(byHost), Map.copyOf(refused));
    }

    private static PetrichorException none(
            Map<CertificateFiles, Content> refused, @Nullable Exception problem) {
        return problem == null
                ? PetrichorException.invalid("TLS needs at least one certificate")
                : unusable(refused.keySet().iterator().next(), problem);
    }

    private static PetrichorException unusable(CertificateFiles files, Exception problem) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                problem,
                "cannot use the certificate {chain} with the key {key}: both must be PEM files, the"
                        + " key PKCS 8 without a password ({reason})",
                "chain",
                files.chain(),
                "key",
                files.key(),
                "reason",
                problem.toString());
    }
}
