package petrichor.frontends.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class ScramVerifierTest {
    /** The example of RFC 7677: user "user", password "pencil". */
    @Test
    void agreesWithTheExampleOfTheStandard() {
        ScramVerifier verifier =
                ScramVerifier.of(
                        "pencil", Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ=="), 4096);
        String nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
        String signed =
                "n=user,r=rOprNGfwEbeRWgbNEkqO,r="
                        + nonce
                        + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r="
                        + nonce;
        byte[] signature =
                ScramVerifier.hmac(
                        verifier.serverKey(), signed.getBytes(StandardCharsets.US_ASCII));
        assertThat(Base64.getEncoder().encodeToString(signature))
                .isEqualTo("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    @Test
    void isReadAsItIsWritten() {
        ScramVerifier verifier = ScramVerifier.of("ein Passwort");
        assertThat(ScramVerifier.parse(verifier.text())).isEqualTo(verifier);
        assertThat(verifier).isNotEqualTo(ScramVerifier.of("ein Passwort"));
        assertThat(verifier.toString()).doesNotContain(verifier.text().substring(20));
        assertThatThrownBy(() -> ScramVerifier.parse("md5abc"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
