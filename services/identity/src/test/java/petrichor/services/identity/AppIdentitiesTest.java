package petrichor.services.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

final class AppIdentitiesTest {
    private static final byte[] TEXT = "to sign".getBytes(UTF_8);

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final AppIdentities identities = identities();

    private AppIdentities identities() {
        return new AppIdentities(() -> databases, TimeSource.SYSTEM, new SecureRandom());
    }

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    private static X509Certificate parsed(AppIdentities.Certificate certificate) throws Exception {
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(
                                new ByteArrayInputStream(certificate.pem().getBytes(UTF_8)));
    }

    private static boolean verifies(X509Certificate certificate, byte[] text, byte[] signature)
            throws Exception {
        Signature verifier = Signature.getInstance("SHA256withRSA");
        verifier.initVerify(certificate);
        verifier.update(text);
        return verifier.verify(signature);
    }

    @Test
    void aSignatureIsVerifiedWithTheCertificate() throws Exception {
        AppIdentities.Signed signed = identities.sign("demo", TEXT);
        AppIdentities.Certificate certificate = identities.certificates("demo").getFirst();
        X509Certificate parsed = parsed(certificate);
        parsed.checkValidity();
        parsed.verify(parsed.getPublicKey());
        assertThat(parsed.getSubjectX500Principal().getName())
                .isEqualTo("CN=demo@appspot.gserviceaccount.com");
        assertThat(certificate.keyName()).isEqualTo(signed.keyName()).matches("[0-9a-f]{40}");
        assertThat(verifies(parsed, TEXT, signed.signature())).isTrue();
        assertThat(verifies(parsed, "another".getBytes(UTF_8), signed.signature())).isFalse();
    }

    @Test
    void anotherServerUsesTheSameKeyAndAnotherAppAnotherOne() {
        String key = identities.sign("demo", TEXT).keyName();
        assertThat(identities().sign("demo", TEXT).keyName()).isEqualTo(key);
        assertThat(identities.sign("other", TEXT).keyName()).isNotEqualTo(key);
    }

    @Test
    void aReplacedStoreHasANewKey() {
        String key = identities.sign("demo", TEXT).keyName();
        databases.drop("demo");
        assertThat(identities.sign("demo", TEXT).keyName()).isNotEqualTo(key);
    }

    @Test
    void concurrentFirstUsesAgreeOnOneKey() throws Exception {
        List<Future<String>> names = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 4; i++) {
                names.add(pool.submit(() -> identities().sign("demo", TEXT).keyName()));
            }
        }
        String stored = identities().sign("demo", TEXT).keyName();
        for (Future<String> name : names) {
            assertThat(name.get()).isEqualTo(stored);
        }
    }

    @Test
    void anAccessTokenIsASignedTokenWithTheScopes() throws Exception {
        AppIdentities.AccessToken token =
                identities.accessToken("demo", List.of("a\"b", "c"), Duration.ofHours(1));
        String[] parts = token.token().split("\\.", -1);
        assertThat(parts).hasSize(3);
        Base64.Decoder decoder = Base64.getUrlDecoder();
        assertThat(new String(decoder.decode(parts[1]), UTF_8))
                .contains("\"iss\":\"demo@appspot.gserviceaccount.com\"")
                .contains("\"scope\":\"a\\u0022b c\"")
                .contains("\"exp\":" + token.expires().getEpochSecond());
        X509Certificate certificate = parsed(identities.certificates("demo").getFirst());
        byte[] signed = (parts[0] + "." + parts[1]).getBytes(UTF_8);
        assertThat(verifies(certificate, signed, decoder.decode(parts[2]))).isTrue();
        assertThat(token.expires()).isAfter(Instant.now().plus(Duration.ofMinutes(59)));
    }

    @Test
    void moreThanEightKibibytesAreNotSigned() {
        identities.sign("demo", new byte[AppIdentities.SIGNED_BYTES_MAX]);
        assertThatThrownBy(
                        () -> identities.sign("demo", new byte[AppIdentities.SIGNED_BYTES_MAX + 1]))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("8193 bytes");
    }
}
