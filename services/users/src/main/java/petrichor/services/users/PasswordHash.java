package petrichor.services.users;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;
import petrichor.base.PetrichorException;

/**
 * A password as stored: Argon2id (RFC 9106), in the PHC format {@code
 * $argon2id$v=19$m=…,t=…,p=…$salt$hash}, so that costs can be raised later. Computing one takes
 * {@link #MEMORY_KIB} KiB and some tens of milliseconds of a processor.
 */
public record PasswordHash(String text) {
    public static final int PASSWORD_CHARS_MIN = 8;
    public static final int PASSWORD_CHARS_MAX = 1024;

    /** OWASP's recommendation for Argon2id. */
    static final int MEMORY_KIB = 19_456;

    private static final int PASSES = 2;
    private static final int LANES = 1;
    private static final int SALT_BYTES = 16;
    private static final int HASH_BYTES = 32;

    /** A stored hash cannot ask for more than this. */
    private static final int MEMORY_KIB_MAX = 1 << 20;

    private static final Pattern FORMAT =
            Pattern.compile(
                    "\\$argon2id\\$v=19\\$m=(\\d{1,7}),t=(\\d{1,3}),p=(\\d{1,2})"
                            + "\\$([A-Za-z0-9+/]{11,88})\\$([A-Za-z0-9+/]{22,88})");

    public PasswordHash {
        if (!FORMAT.matcher(text).matches()) {
            throw new IllegalArgumentException("not a hash of Argon2id");
        }
    }

    /**
     * INVALID_ARGUMENT if the password is too short or too long.
     *
     * @param random cryptographically strong
     */
    public static PasswordHash of(String password, RandomGenerator random) {
        if (password.length() < PASSWORD_CHARS_MIN || password.length() > PASSWORD_CHARS_MAX) {
            throw PetrichorException.invalid(
                    "a password must have {min} to {max} characters",
                    "min",
                    PASSWORD_CHARS_MIN,
                    "max",
                    PASSWORD_CHARS_MAX);
        }
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        byte[] hash = hash(password, salt, MEMORY_KIB, PASSES, LANES, HASH_BYTES);
        Base64.Encoder base64 = Base64.getEncoder().withoutPadding();
        return new PasswordHash(
                "$argon2id$v=19$m="
                        + MEMORY_KIB
                        + ",t="
                        + PASSES
                        + ",p="
                        + LANES
                        + "$"
                        + base64.encodeToString(salt)
                        + "$"
                        + base64.encodeToString(hash));
    }

    /** Takes the same time whether or not the password is right. */
    public boolean matches(String password) {
        Matcher parts = FORMAT.matcher(text);
        if (!parts.matches() || password.length() > PASSWORD_CHARS_MAX) {
            return false;
        }
        byte[] expected = Base64.getDecoder().decode(parts.group(5));
        byte[] actual =
                hash(
                        password,
                        Base64.getDecoder().decode(parts.group(4)),
                        Math.min(MEMORY_KIB_MAX, Integer.parseInt(parts.group(1))),
                        Integer.parseInt(parts.group(2)),
                        Integer.parseInt(parts.group(3)),
                        expected.length);
        return MessageDigest.isEqual(expected, actual);
    }

    private static byte[] hash(
            String password, byte[] salt, int memoryKib, int passes, int lanes, int bytes) {
        Argon2BytesGenerator generator = new Argon2BytesGenerator();
        generator.init(
                new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                        .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                        .withMemoryAsKB(memoryKib)
                        .withIterations(passes)
                        .withParallelism(lanes)
                        .withSalt(salt)
                        .build());
        byte[] hash = new byte[bytes];
        generator.generateBytes(password.getBytes(StandardCharsets.UTF_8), hash);
        return hash;
    }

    /** The hash does not appear in logs. */
    @Override
    public String toString() {
        return "PasswordHash[argon2id]";
    }
}
