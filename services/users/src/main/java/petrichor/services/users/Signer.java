package petrichor.services.users;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs texts that a browser keeps for us (HMAC-SHA-256). A signature is for one purpose: a text
 * that was signed for another one is refused. Immutable.
 */
final class Signer {
    private static final String ALGORITHM = "HmacSHA256";
    static final int KEY_BYTES = 32;

    private final SecretKeySpec key;

    Signer(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** The text and its signature; consists of characters that a cookie may contain. */
    String sign(String purpose, String text) {
        Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        String encoded = base64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
        return encoded + "." + base64.encodeToString(mac(purpose, encoded));
    }

    /** The text, if the signature is ours. */
    Optional<String> verify(String purpose, String signed) {
        int dot = signed.indexOf('.');
        if (dot < 0) {
            return Optional.empty();
        }
        try {
            Base64.Decoder base64 = Base64.getUrlDecoder();
            String encoded = signed.substring(0, dot);
            byte[] signature = base64.decode(signed.substring(dot + 1));
            return MessageDigest.isEqual(signature, mac(purpose, encoded))
                    ? Optional.of(new String(base64.decode(encoded), StandardCharsets.UTF_8))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // not base64
        }
    }

    private byte[] mac(String purpose, String encoded) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal((purpose + "\0" + encoded).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no " + ALGORITHM, e);
        }
    }
}
