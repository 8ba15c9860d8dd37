package petrichor.services.blobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.GeneralSecurityException;
import java.security.Signature;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SigningKeysTest {
    private final BlobHome home = new BlobHome();
    private final SigningKeys keys = home.blobs.keys();

    @AfterEach
    void close() {
        home.close();
    }

    @Test
    void aSignatureIsVerifiedWithTheStoredKey() throws GeneralSecurityException {
        SigningKeys.Created made = keys.create("demo", "signer");
        assertThat(made.email()).isEqualTo("signer@demo.iam.gserviceaccount.com");
        Signature signing = Signature.getInstance("SHA256withRSA");
        signing.initSign(made.privateKey());
        signing.update(new byte[] {1, 2});
        byte[] signature = signing.sign();
        Signature checking = Signature.getInstance("SHA256withRSA");
        checking.initVerify(keys.find("demo", made.email()).orElseThrow());
        checking.update(new byte[] {1, 2});
        assertThat(checking.verify(signature)).isTrue();
        assertThat(keys.find("other", made.email())).isEmpty();
    }

    @Test
    void keysAreListedAndDeleted() {
        keys.create("demo", "signer");
        assertThatThrownBy(() -> keys.create("demo", "signer")).hasMessageContaining("exists");
        assertThatThrownBy(() -> keys.create("demo", "No!")).hasMessageContaining("not a name");
        assertThat(keys.list("demo")).containsExactly("signer@demo.iam.gserviceaccount.com");
        assertThat(keys.delete("demo", "signer@demo.iam.gserviceaccount.com")).isTrue();
        assertThat(keys.delete("demo", "signer@demo.iam.gserviceaccount.com")).isFalse();
        assertThat(keys.list("demo")).isEmpty();
    }
}
