package petrichor.jobs.channels;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * What the processes of a job know and nobody else does: 32 random bytes, by which they prove to
 * each other that they belong together. The token itself never goes over a wire. Immutable.
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

    /** The token whose {@link #hex} this is. */
    public static ChannelToken parse(String hex) {
        byte[] secret;
        try {
            secret = HexFormat.of().parseHex(hex);
        } catch (IllegalArgumentException e) {
            secret = new byte[0];
        }
        if (secret.length != BYTES) {
            throw new PetrichorException(
                    ErrorCode.INVALID_ARGUMENT, "a channel token has 64 hexadecimal digits");
        }
        return new ChannelToken(secret);
    }

    /** For handing it to a process that one starts: never on a command line, never in a log. */
    public String hex() {
        return HexFormat.of().formatHex(secret);
    }

    /** What only a holder of the token can say to this. */
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
