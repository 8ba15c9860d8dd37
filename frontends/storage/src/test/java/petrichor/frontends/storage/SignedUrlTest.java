package petrichor.frontends.storage;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The string to sign is written out here, independently of the class. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SignedUrlTest {
    private static final Instant SIGNED = Instant.parse("2026-11-27T10:00:00Z");
    private static final Map<String, String> HEADERS =
            Map.of("host", "localhost:8081", "x-goog-meta-a", " b   c ");

    private KeyPair pair;

    @BeforeAll
    void generate() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2_048);
        pair = generator.generateKeyPair();
    }

    private Map<String, String> parameters(String expires) throws GeneralSecurityException {
        return parameters(expires, "localhost:8081");
    }

    private Map<String, String> parameters(String expires, String host)
            throws GeneralSecurityException {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("X-Goog-Algorithm", "GOOG4-RSA-SHA256");
        parameters.put("X-Goog-Credential", "k@p/20261127/auto/storage/goog4_request");
        parameters.put("X-Goog-Date", "20261127T100000Z");
        parameters.put("X-Goog-Expires", expires);
        parameters.put("X-Goog-SignedHeaders", "host;x-goog-meta-a");
        String canonical =
                """
                PUT
                /bucket/a~20b
                X-Goog-Algorithm=GOOG4-RSA-SHA256&\
                X-Goog-Credential=k~40p~2F20261127~2Fauto~2Fstorage~2Fgoog4_request&\
                X-Goog-Date=20261127T100000Z&X-Goog-Expires={expires}&\
                X-Goog-SignedHeaders=host~3Bx-goog-meta-a&a=1&a-b=2
                host:{host}
                x-goog-meta-a:b c

                host;x-goog-meta-a
                UNSIGNED-PAYLOAD\
                """
                        .replace("{expires}", expires)
                        .replace("{host}", host)
                        .replace('~', '%'); // in the literal, it would look like a format
        String text =
                "GOOG4-RSA-SHA256\n20261127T100000Z\n20261127/auto/storage/goog4_request\n"
                        + HexFormat.of()
                                .formatHex(
                                        MessageDigest.getInstance("SHA-256")
                                                .digest(
                                                        canonical.getBytes(
                                                                StandardCharsets.UTF_8)));
        Signature signer = Signature.getInstance("SHA256withRSA");
        signer.initSign(pair.getPrivate());
        signer.update(text.getBytes(StandardCharsets.UTF_8));
        parameters.put("X-Goog-Signature", HexFormat.of().formatHex(signer.sign()));
        return parameters;
    }

    /** The query as a client may order it. */
    private static String target(Map<String, String> parameters) {
        StringBuilder target = new StringBuilder("/bucket/a~20b?a-b=2&a=1".replace('~', '%'));
        parameters.forEach(
                (name, value) ->
                        target.append('&')
                                .append(name)
                                .append('=')
                                .append(StorageJson.segment(value)));
        return target.toString();
    }

    private void require(String method, Map<String, String> parameters, Instant now) {
        SignedUrl.of(parameters)
                .require(method, target(parameters), HEADERS, now, pair.getPublic());
    }

    @Test
    void aValidSignatureIsAccepted() throws GeneralSecurityException {
        Map<String, String> parameters = parameters("60");
        assertThatCode(() -> require("PUT", parameters, SIGNED.plusSeconds(60)))
                .doesNotThrowAnyException();
    }

    /** Some clients do not sign the port. */
    @Test
    void theSignedHostMayLackThePort() throws GeneralSecurityException {
        Map<String, String> parameters = parameters("60", "localhost");
        assertThatCode(() -> require("PUT", parameters, SIGNED)).doesNotThrowAnyException();
        for (String other : new String[] {"localhost:80", "example.com"}) {
            Map<String, String> elsewhere = parameters("60", other);
            assertThatThrownBy(() -> require("PUT", elsewhere, SIGNED))
                    .hasMessageContaining("does not match");
        }
    }

    @Test
    void otherRequestsAndTimesAreRefused() throws GeneralSecurityException {
        Map<String, String> parameters = parameters("60");
        assertThatThrownBy(() -> require("GET", parameters, SIGNED))
                .hasMessageContaining("does not match");
        assertThatThrownBy(() -> require("PUT", parameters, SIGNED.plusSeconds(61)))
                .hasMessageContaining("expired");
        assertThatThrownBy(() -> require("PUT", parameters, SIGNED.minusSeconds(3_600)))
                .hasMessageContaining("future");
        Map<String, String> week = parameters("604801");
        assertThatThrownBy(() -> require("PUT", week, SIGNED)).hasMessageContaining("604800");
        assertThatThrownBy(
                        () ->
                                SignedUrl.of(parameters)
                                        .require("PUT", target(parameters), HEADERS, SIGNED, null))
                .hasMessageContaining("no such key");
    }

    @Test
    void unreadableParametersAreRefused() throws GeneralSecurityException {
        for (String name : parameters("60").keySet()) {
            Map<String, String> without = parameters("60");
            without.remove(name);
            assertThatThrownBy(() -> SignedUrl.of(without)).hasMessageContaining("X-Goog-");
            Map<String, String> wrong = parameters("60");
            wrong.put(name, "%");
            if (!name.equals("X-Goog-SignedHeaders")) {
                assertThatThrownBy(() -> SignedUrl.of(wrong)).hasMessageContaining("X-Goog-");
            }
        }
    }
}
