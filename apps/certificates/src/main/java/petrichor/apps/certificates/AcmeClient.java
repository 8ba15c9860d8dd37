package petrichor.apps.certificates;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.net.URL;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.AccountBuilder;
import org.shredzone.acme4j.Authorization;
import org.shredzone.acme4j.Login;
import org.shredzone.acme4j.Order;
import org.shredzone.acme4j.Problem;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.Status;
import org.shredzone.acme4j.challenge.Http01Challenge;
import org.shredzone.acme4j.connector.HttpConnector;
import org.shredzone.acme4j.connector.NetworkSettings;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeNetworkException;
import org.shredzone.acme4j.exception.AcmeRateLimitedException;
import org.shredzone.acme4j.exception.AcmeServerException;
import org.shredzone.acme4j.provider.GenericAcmeProvider;
import petrichor.apps.router.tls.AcmeChallenges;
import petrichor.base.FileProblem;

/**
 * Orders certificates by ACME (RFC 8555) with HTTP-01. A session of its own per order, since a
 * session has one nonce. Thread-safe; blocks.
 */
final class AcmeClient {
    private static final Duration REQUEST_MAX = Duration.ofSeconds(30);
    private static final int LINE_CHARACTERS = 64;
    private static final Duration STEP_MAX = Duration.ofMinutes(2);

    private final AcmeSettings settings;
    private final AcmeFolder folder;
    private final AcmeChallenges challenges;
    private final GenericAcmeProvider provider;
    private volatile @Nullable URL account;

    AcmeClient(AcmeSettings settings, AcmeFolder folder, AcmeChallenges challenges) {
        this.settings = settings;
        this.folder = folder;
        this.challenges = challenges;
        this.provider =
                settings.authority()
                        .<GenericAcmeProvider>map(file -> new TrustingProvider(trusting(file)))
                        .orElseGet(GenericAcmeProvider::new);
    }

    /** The certificate with its chain and its key, as PEM. */
    String order(String host) throws OrderFailure, InterruptedException {
        try {
            Session session = new Session(settings.directory(), provider);
            session.networkSettings().setTimeout(REQUEST_MAX);
            Login login = login(session);
            Order order = login.newOrder().domain(host).create();
            for (Authorization authorization : order.getAuthorizations()) {
                authorize(host, authorization);
            }
            if (order.waitUntilReady(STEP_MAX) != Status.READY) {
                throw refused(order.getError());
            }
            KeyPair key = key();
            order.execute(key);
            if (order.waitForCompletion(STEP_MAX) != Status.VALID) {
                throw refused(order.getError());
            }
            StringWriter pem = new StringWriter();
            order.getCertificate().writeCertificate(pem);
            return pem + "\n" + pem("PRIVATE KEY", key.getPrivate());
        } catch (AcmeRateLimitedException limited) {
            throw new OrderFailure(
                    text(limited.getProblem()), limited, limited.getRetryAfter().orElse(null));
        } catch (AcmeServerException refused) {
            throw new OrderFailure(text(refused.getProblem()), refused, null);
        } catch (AcmeNetworkException unreachable) {
            throw new OrderFailure(
                    settings.directory() + " cannot be reached: " + cause(unreachable),
                    unreachable,
                    null);
        } catch (AcmeException | IOException failed) {
            throw new OrderFailure(cause(failed), failed, null);
        }
    }

    private Login login(Session session) throws AcmeException {
        URL known = account;
        KeyPair key = folder.accountKey();
        if (known != null) {
            return session.login(known, key);
        }
        // finds the account of the key, or creates it
        AccountBuilder builder = new AccountBuilder().agreeToTermsOfService().useKeyPair(key);
        settings.email().ifPresent(builder::addEmail);
        Login login = builder.createLogin(session);
        account = login.getAccountLocation();
        return login;
    }

    private void authorize(String host, Authorization authorization)
            throws OrderFailure, AcmeException, InterruptedException {
        if (authorization.getStatus() == Status.VALID) {
            return;
        }
        Http01Challenge challenge =
                authorization
                        .findChallenge(Http01Challenge.class)
                        .orElseThrow(
                                () ->
                                        new OrderFailure(
                                                "the authority does not offer the challenge"
                                                        + " http-01 for this host",
                                                null,
                                                null));
        try (AcmeChallenges.Open _ =
                challenges.open(host, challenge.getToken(), challenge.getAuthorization())) {
            challenge.trigger();
            if (challenge.waitForCompletion(STEP_MAX) != Status.VALID) {
                throw refused(challenge.getError());
            }
        }
    }

    private static OrderFailure refused(Optional<Problem> problem) {
        return new OrderFailure(
                problem.map(AcmeClient::text)
                        .orElse(
                                "the authority did not finish within "
                                        + STEP_MAX.toMinutes()
                                        + " minutes"),
                null,
                null);
    }

    private static String text(Problem problem) {
        String text = problem.toString();
        return problem.getDetail().orElse(problem.getTitle().orElse(text));
    }

    private static String cause(Throwable failure) {
        Throwable deepest = failure;
        while (deepest.getCause() != null) {
            deepest = deepest.getCause();
        }
        return deepest.getMessage() == null ? deepest.toString() : deepest.getMessage();
    }

    /** A new key, of the JDK: acme4j's would need Bouncy Castle as a provider. */
    static KeyPair key() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static String pem(String type, Key key) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(
                        type,
                        Base64.getMimeEncoder(LINE_CHARACTERS, new byte[] {'\n'})
                                .encodeToString(key.getEncoded()),
                        type);
    }

    private static SSLContext trusting(Path authority) {
        try (InputStream in = Files.newInputStream(authority)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (var certificate :
                    java.security.cert.CertificateFactory.getInstance("X.509")
                            .generateCertificates(in)) {
                store.setCertificateEntry("authority" + number++, certificate);
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(null, trust.getTrustManagers(), null);
            return tls;
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read the authority " + authority, unreadable);
        } catch (GeneralSecurityException unusable) {
            throw new IllegalArgumentException("not a certificate: " + authority, unusable);
        }
    }

    /** Trusts another authority than Java does. */
    private static final class TrustingProvider extends GenericAcmeProvider {
        private final SSLContext tls;

        TrustingProvider(SSLContext tls) {
            this.tls = tls;
        }

        @Override
        protected HttpConnector createHttpConnector(NetworkSettings settings) {
            return new HttpConnector(settings) {
                @Override
                public HttpClient.Builder createClientBuilder() {
                    return super.createClientBuilder().sslContext(tls);
                }
            };
        }
    }
}
