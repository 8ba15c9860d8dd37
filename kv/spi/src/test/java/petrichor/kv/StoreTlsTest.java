package petrichor.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateExpiredException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** TLS options, and the errors of failed handshakes. */
class StoreTlsTest {
    @TempDir private Path folder;

    private static StoreUrl url(String options) {
        return StoreUrl.parse("redis://h/n" + options);
    }

    @Test
    void tlsIsOffUnlessTheAddressOrTheStoreSaysOtherwise() {
        assertThat(StoreTls.of(url(""))).isEmpty();
        assertThat(StoreTls.of(url("?tls=off"), true)).isEmpty();
        assertThat(StoreTls.of(url(""), true)).isPresent();
        StoreTls tls = StoreTls.of(url("?tls=on&tls-trust=/ca.pem")).orElseThrow();
        assertThat(tls.trust()).contains(Path.of("/ca.pem"));
        assertThat(tls.verifyHost()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "?tls=yes, 'on or off, not ''yes'''",
        "?tls-trust=/ca.pem, without tls=on",
        "?tls=on&tls-certificate=/c.pem, 'both tls-certificate and tls-key'",
        "?tls=on&tls-verify-host=no, tls-verify-host"
    })
    void contradictionsAreRefused(String options, String text) {
        assertThatThrownBy(() -> StoreTls.of(url(options)))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(text);
    }

    @Test
    void filesThatCannotBeUsedAreNamedWithAReason() throws IOException {
        Path missing = folder.resolve("missing.pem");
        assertThatThrownBy(() -> tls("?tls=on&tls-trust=" + missing).context())
                .hasMessageContaining(missing.toString())
                .hasMessageContaining("no such file");
        Path text = Files.writeString(folder.resolve("text.pem"), "hello");
        assertThatThrownBy(() -> tls("?tls=on&tls-trust=" + text).context())
                .hasMessageContaining("no block 'CERTIFICATE'");
        Path old =
                Files.writeString(
                        folder.resolve("old.key"),
                        "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n");
        assertThatThrownBy(
                        () ->
                                tls("?tls=on&tls-certificate=" + text + "&tls-key=" + old)
                                        .keyManagers())
                .hasMessageContaining("openssl pkcs8 -topk8");
    }

    private static StoreTls tls(String options) {
        return StoreTls.of(url(options)).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "PKIX path building failed: unable to find valid certification path, not trusted",
        "No name matching db found, does not name the host",
        "Received fatal alert: bad_certificate, tls-certificate",
        "Unsupported or unrecognized SSL message, does not use TLS"
    })
    void failedHandshakesReportARemedy(String cause, String text) {
        PetrichorException failure =
                StoreFailures.unreachable(
                        "redis://h/n", new IOException(new SSLHandshakeException(cause)));
        assertThat(failure.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION);
        assertThat(failure).hasMessageContaining(text).hasMessageContaining("redis://h/n");
    }

    @Test
    void expiredCertificatesAreDistinguishedFromUntrustedOnes() {
        IOException expired =
                new IOException(
                        "PKIX path validation failed", new CertificateExpiredException("x"));
        assertThat(StoreFailures.unreachable("s", expired)).hasMessageContaining("has expired");
        assertThat(StoreFailures.unreachable("s", new IOException("Connection refused")).code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
    }
}
