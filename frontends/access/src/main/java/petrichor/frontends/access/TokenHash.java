package petrichor.frontends.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The SHA-256 hash of a token; tokens files contain only hashes. A plain hash is sufficient for
 * random tokens, but not for passwords.
 */
public final class TokenHash {
    private static final Pattern HEX = Pattern.compile("[0-9a-fA-F]{64}");

    private final byte[] bytes;

    private TokenHash(byte[] bytes) {
        this.bytes = bytes;
    }

    public static TokenHash of(String token) {
        try {
            return new TokenHash(
                    MessageDigest.getInstance("SHA-256")
                            .digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    /** Empty unless the text is 64 hexadecimal digits. */
    public static Optional<TokenHash> parse(String hex) {
        return HEX.matcher(hex).matches()
                ? Optional.of(new TokenHash(HexFormat.of().parseHex(hex)))
                : Optional.empty();
    }

    /** Compares in constant time. */
    boolean matches(TokenHash other) {
        return MessageDigest.isEqual(bytes, other.bytes);
    }

    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }
}
