package petrichor.movement.backups;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * The key with which its holder encrypts backups: 256 random bits in a file, as 64 hexadecimal
 * digits. Each file of a backup is encrypted with a key derived from it and from the file's salt,
 * so that no nonce is used twice. Immutable.
 */
public final class BackupKey {
    private static final int BYTES = 32;
    private static final String MAC = "HmacSHA256";

    private final byte[] secret;

    private BackupKey(byte[] secret) {
        this.secret = secret;
    }

    /** Reads a key file. */
    public static BackupKey read(Path file) {
        try {
            String text = Files.readString(file).strip();
            if (!text.matches("[0-9a-fA-F]{" + 2 * BYTES + "}")) {
                throw PetrichorException.invalid(
                        "{file} is not a key of backups: it must contain {digitsCount} hexadecimal"
                                + " digits. `petrichor backup key FILE` creates one.",
                        "file",
                        file,
                        "digitsCount",
                        2 * BYTES);
            }
            return new BackupKey(HexFormat.of().parseHex(text));
        } catch (IOException failed) {
            throw FileProblem.of("cannot read the key file " + file, failed);
        }
    }

    /** Creates a key file that only its owner can read. ALREADY_EXISTS if the file exists. */
    public static BackupKey create(Path file) {
        byte[] secret = new byte[BYTES];
        new SecureRandom().nextBytes(secret);
        try (var channel =
                Files.newByteChannel(
                        file,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")))) {
            byte[] text =
                    (HexFormat.of().formatHex(secret) + "\n").getBytes(StandardCharsets.US_ASCII);
            channel.write(java.nio.ByteBuffer.wrap(text));
        } catch (IOException failed) {
            throw FileProblem.of("cannot create the key file " + file, failed);
        }
        return new BackupKey(secret);
    }

    /** Identifies the key without revealing it. */
    public String id() {
        return HexFormat.of().formatHex(derived("id".getBytes(StandardCharsets.US_ASCII)), 0, 8);
    }

    SecretKey forFile(byte[] salt) {
        return new SecretKeySpec(derived(salt), "AES");
    }

    /** Authenticates a manifest. */
    byte[] sign(byte[] text) {
        return mac(derived("manifest".getBytes(StandardCharsets.US_ASCII)), text);
    }

    private byte[] derived(byte[] from) {
        return mac(secret, from);
    }

    private static byte[] mac(byte[] key, byte[] text) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(new SecretKeySpec(key, MAC));
            return mac.doFinal(text);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
