package petrichor.apps.hosting;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Set;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * Encrypts the secrets of apps with AES-256 in Galois/counter mode, under a key in a file that only
 * the server's user may read. The file is created with the first secret. A sealed value is bound to
 * its app and name: a copy under another name cannot be opened. Neither errors nor logs contain
 * values. Thread-safe.
 */
public final class SecretBox {
    private static final String ALGORITHM = "AES/GCM/NoPadding";
    private static final int KEY_BYTES = 32;
    private static final int TAG_BITS = 128;

    /** Of a random nonce: safe for far more than the secrets of a server. */
    private static final int NONCE_BYTES = 12;

    /** First byte of a sealed value, for later formats. */
    private static final byte FORMAT = 1;

    private final Path file;
    private final SecureRandom random;
    private @Nullable SecretKeySpec key;

    public SecretBox(Path file, SecureRandom random) {
        this.file = file;
        this.random = random;
    }

    ByteString seal(String app, String name, String value) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] encrypted =
                    cipher(Cipher.ENCRYPT_MODE, key(true), nonce, app, name)
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
                    cipher(Cipher.DECRYPT_MODE, key(false), nonce, app, name)
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
                "the secret {name} of the app {app} was encrypted with another key than that in"
                        + " {file}; restore the file, or set the secret again",
                "name",
                name,
                "app",
                app,
                "file",
                file);
    }

    private static Cipher cipher(int mode, SecretKeySpec key, byte[] nonce, String app, String name)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(ALGORITHM);
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD((app + "\0" + name).getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    private synchronized SecretKeySpec key(boolean create) {
        SecretKeySpec known = key;
        if (known == null) {
            try {
                if (create && !Files.exists(file)) {
                    create();
                }
                known = new SecretKeySpec(read(), "AES");
            } catch (IOException e) {
                throw FileProblem.of("cannot read the key of secrets in " + file, e);
            }
            key = known;
        }
        return known;
    }

    /** Atomic: a crash leaves no part of a key. */
    private void create() throws IOException {
        byte[] fresh = new byte[KEY_BYTES];
        random.nextBytes(fresh);
        Path written = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(written);
        Files.createFile(
                written,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(written, fresh, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private byte[] read() throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (!Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE)
                .containsAll(permissions)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "others than the server's user may use the key of secrets in {file}; run chmod"
                            + " 600 on it",
                    "file",
                    file);
        }
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length != KEY_BYTES) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the key of secrets in {file} has {bytes} bytes instead of {expected}; restore"
                            + " the file",
                    "file",
                    file,
                    "bytes",
                    bytes.length,
                    "expected",
                    KEY_BYTES);
        }
        return bytes;
    }
}
