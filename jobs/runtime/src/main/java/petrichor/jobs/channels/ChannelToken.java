package petrichor.jobs.channels;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import petrichor.base.PetrichorException;

/**
 * The shared secret of a job's processes: 32 random bytes, with which they authenticate each other.
 * The token itself is never sent. Immutable.
 */
public final class ChannelToken {
    private static final int BYTES = 32;
    static final int PROOF_BYTES = 32;
    private static final String ALGORITHM = "HmacSHA256";

    private final byte[] secret;

    private ChannelToken(byte[] secret) {
        this.secret = secret;
    }

    public static ChannelToken random() {
        byte[] secret = new byte[BYTES];
        new SecureRandom().nextBytes(secret);
        return new ChannelToken(secret);
    }

    /** Parses the form of {@link #hex}. */
    public static ChannelToken parse(String hex) {
        byte[] secret;
        try {
            secret = HexFormat.of().parseHex(hex);
        } catch (IllegalArgumentException e) {
            secret = new byte[0];
        }
        if (secret.length != BYTES) {
            throw PetrichorException.invalid("a channel token has 64 hexadecimal digits");
        }
        return new ChannelToken(secret);
    }

    /** The token as text, to pass to a child process: never on a command line, never in a log. */
    public String hex() {
        return HexFormat.of().formatHex(secret);
    }

    /** A keyed digest of {@code of}, which only a holder of the token can compute. */
    byte[] proof(byte[] of) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            return mac.doFinal(of);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    @Override
    public String toString() {
        return "ChannelToken[hidden]";
    }
}
