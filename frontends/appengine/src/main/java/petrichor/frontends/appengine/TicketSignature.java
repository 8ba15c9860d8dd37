package petrichor.frontends.appengine;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import petrichor.base.PetrichorException;

/**
 * What a ticket says to other servers of a cluster, signed with a key that only they have
 * (HMAC-SHA-256). Immutable.
 */
public final class TicketSignature {
    private static final String ALGORITHM = "HmacSHA256";
    private static final String PURPOSE = "app ticket\0";

    /** The first half of the MAC: 128 bits cannot be guessed. */
    private static final int BYTES = 16;

    private static final String SEPARATOR = "\n";
    private static final int PARTS = 5;

    private final SecretKeySpec key;

    /**
     * @param secret of the servers of the cluster
     */
    public TicketSignature(String secret) {
        this.key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
    }

    /**
     * A statement of a server about a request that an app is handling.
     *
     * @param issuer random name of the server
     * @param untilMicros when the ticket expires, microseconds since 1970
     */
    record Statement(CallingApp app, String issuer, long untilMicros) {}

    /** A text for a header field, with exactly one dot. */
    String sign(Statement statement) {
        Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        String text =
                String.join(
                        SEPARATOR,
                        statement.issuer(),
                        Long.toString(statement.untilMicros()),
                        statement.app().project(),
                        statement.app().service(),
                        statement.app().version());
        String encoded = base64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
        return encoded + "." + base64.encodeToString(mac(encoded));
    }

    /** The statement, if a server of this cluster has signed it. */
    Optional<Statement> verify(String signed) {
        int dot = signed.indexOf('.');
        if (dot < 0) {
            return Optional.empty();
        }
        try {
            Base64.Decoder base64 = Base64.getUrlDecoder();
            String encoded = signed.substring(0, dot);
            byte[] signature = base64.decode(signed.substring(dot + 1));
            return MessageDigest.isEqual(signature, mac(encoded))
                    ? parse(new String(base64.decode(encoded), StandardCharsets.UTF_8))
                    : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }

    private static Optional<Statement> parse(String text) {
        String[] parts = text.split(SEPARATOR, -1);
        if (parts.length != PARTS) {
            return Optional.empty();
        }
        try {
            CallingApp app = new CallingApp(parts[2], parts[3], parts[4]);
            return Optional.of(new Statement(app, parts[0], Long.parseLong(parts[1])));
        } catch (NumberFormatException | PetrichorException ofAnotherVersion) {
            return Optional.empty();
        }
    }

    private byte[] mac(String encoded) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            byte[] signed = (PURPOSE + encoded).getBytes(StandardCharsets.UTF_8);
            return Arrays.copyOf(mac.doFinal(signed), BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no " + ALGORITHM, e);
        }
    }
}
