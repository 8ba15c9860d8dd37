package petrichor.frontends.postgres;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * What verifies a password with SCRAM-SHA-256 (RFC 5802, RFC 7677) without containing it. Written
 * as PostgreSQL stores it: {@code SCRAM-SHA-256$4096:SALT$STORED_KEY:SERVER_KEY}.
 */
public record ScramVerifier(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
    private static final String PREFIX = "SCRAM-SHA-256$";
    private static final int ITERATIONS = 4096;
    private static final int SALT_BYTES = 16;
    private static final int KEY_BITS = 256;

    public ScramVerifier {
        salt = salt.clone();
        storedKey = storedKey.clone();
        serverKey = serverKey.clone();
    }

    /** With a new salt. */
    public static ScramVerifier of(String password) {
        byte[] salt = new byte[SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        return of(password, salt, ITERATIONS);
    }

    static ScramVerifier of(String password, byte[] salt, int iterations) {
        try {
            char[] normalized = Normalizer.normalize(password, Normalizer.Form.NFKC).toCharArray();
            byte[] salted =
                    SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                            .generateSecret(new PBEKeySpec(normalized, salt, iterations, KEY_BITS))
                            .getEncoded();
            byte[] clientKey = hmac(salted, "Client Key".getBytes(StandardCharsets.US_ASCII));
            return new ScramVerifier(
                    iterations,
                    salt,
                    sha256(clientKey),
                    hmac(salted, "Server Key".getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException missing) {
            throw new AssertionError(missing);
        }
    }

    /** IllegalArgumentException if the text is not a verifier. */
    public static ScramVerifier parse(String text) {
        String[] parts = text.startsWith(PREFIX) ? text.split("[$:]", -1) : new String[0];
        if (parts.length != 5) {
            throw new IllegalArgumentException("not a verifier of SCRAM-SHA-256");
        }
        Base64.Decoder base64 = Base64.getDecoder();
        return new ScramVerifier(
                Integer.parseInt(parts[1]),
                base64.decode(parts[2]),
                base64.decode(parts[3]),
                base64.decode(parts[4]));
    }

    public String text() {
        Base64.Encoder base64 = Base64.getEncoder();
        return PREFIX
                + iterations
                + ":"
                + base64.encodeToString(salt)
                + "$"
                + base64.encodeToString(storedKey)
                + ":"
                + base64.encodeToString(serverKey);
    }

    /** Never the keys: they would allow to pose as the server. */
    @Override
    public String toString() {
        return PREFIX + iterations;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ScramVerifier verifier && text().equals(verifier.text());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(storedKey);
    }

    static byte[] hmac(byte[] key, byte[] message) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(message);
        } catch (GeneralSecurityException missing) {
            throw new AssertionError(missing);
        }
    }

    static byte[] sha256(byte[] message) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(message);
        } catch (GeneralSecurityException missing) {
            throw new AssertionError(missing);
        }
    }
}
