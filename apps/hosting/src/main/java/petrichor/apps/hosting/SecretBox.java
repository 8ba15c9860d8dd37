package petrichor.apps.hosting;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Encrypts the secrets of apps with AES-256 in Galois/counter mode. A sealed value is bound to its
 * app and name: a copy under another name cannot be opened. Neither errors nor logs contain values.
 * Thread-safe.
 */
public final class SecretBox {
    private static final String ALGORITHM = "AES/GCM/NoPadding";
    private static final int TAG_BITS = 128;

    /** Of a random nonce: safe for far more than the secrets of a server. */
    private static final int NONCE_BYTES = 12;

    /** First byte of a sealed value, for later formats. */
    private static final byte FORMAT = 1;

    private final SecretsKey key;
    private final SecureRandom random;

    public SecretBox(SecretsKey key, SecureRandom random) {
        this.key = key;
        this.random = random;
    }

    /** With a key in a file of this server. */
    public SecretBox(Path file, SecureRandom random) {
        this(new SecretsKey.OfServer(file, random), random);
    }

    ByteString seal(String app, String name, String value) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] encrypted =
                    cipher(Cipher.ENCRYPT_MODE, key.get(true), nonce, app, name)
                            .doFinal(value.getBytes(StandardCharsets.UTF_8));
            return ByteString.copyFrom(new byte[] {FORMAT})
                    .concat(ByteString.copyFrom(nonce))
                    .concat(ByteString.copyFrom(encrypted));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no " + ALGORITHM, e);
        }
    }

    /** FAILED_PRECONDITION if the key is missing or another one. */
    String open(String app, String name, ByteString encrypted) {
        try {
            if (encrypted.size() <= 1 + NONCE_BYTES || encrypted.byteAt(0) != FORMAT) {
                throw cannotOpen(app, name);
            }
            byte[] nonce = encrypted.substring(1, 1 + NONCE_BYTES).toByteArray();
            byte[] value =
                    cipher(Cipher.DECRYPT_MODE, key.get(false), nonce, app, name)
                            .doFinal(encrypted.substring(1 + NONCE_BYTES).toByteArray());
            return new String(value, StandardCharsets.UTF_8);
        } catch (AEADBadTagException otherKey) {
            throw cannotOpen(app, name);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no " + ALGORITHM, e);
        }
    }

    private PetrichorException cannotOpen(String app, String name) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "the secret {name} of the app {app} was encrypted with another key than {key};"
                        + " restore that key, or set the secret again",
                "name",
                name,
                "app",
                app,
                "key",
                key.description());
    }

    private static Cipher cipher(int mode, SecretKeySpec key, byte[] nonce, String app, String name)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(ALGORITHM);
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD((app + "\0" + name).getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
