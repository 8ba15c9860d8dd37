package petrichor.apps.hosting;

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
import java.security.spec.AlgorithmParameterSpec;
import java.util.Optional;
import java.util.Set;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/** The AES key with which the secrets of apps are encrypted. Thread-safe. */
public sealed interface SecretsKey {
    int KEY_BYTES = 32;

    /**
     * @param create whether a missing key may be created
     */
    SecretKeySpec get(boolean create);

    /** What it is, for error messages. */
    String description();

    /**
     * Derived from the secret that the servers of a cluster share, with HKDF: all of them have it,
     * and it is stored nowhere. FAILED_PRECONDITION if there is no such secret.
     */
    static SecretsKey ofCluster(Optional<String> token) {
        return new OfCluster(token);
    }

    /** In a file that only the server's user may read, created with the first secret. */
    final class OfServer implements SecretsKey {
        private final Path file;
        private final SecureRandom random;
        private @Nullable SecretKeySpec key;

        OfServer(Path file, SecureRandom random) {
            this.file = file;
            this.random = random;
        }

        @Override
        public String description() {
            return "that in " + file;
        }

        @Override
        public synchronized SecretKeySpec get(boolean create) {
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
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.write(written, fresh, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
        }

        private byte[] read() throws IOException {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (!Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE)
                    .containsAll(permissions)) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "others than the server's user may use the key of secrets in {file}; run"
                                + " chmod 600 on it",
                        "file",
                        file);
            }
            byte[] bytes = Files.readAllBytes(file);
            if (bytes.length != KEY_BYTES) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "the key of secrets in {file} has {bytes} bytes instead of {expected};"
                                + " restore the file",
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

    /** See {@link #ofCluster}. */
    record OfCluster(Optional<String> token) implements SecretsKey {
        private static final byte[] PURPOSE =
                "petrichor secrets of apps".getBytes(StandardCharsets.UTF_8);

        @Override
        public SecretKeySpec get(boolean create) {
            String shared =
                    token.orElseThrow(
                            () ->
                                    PetrichorException.of(
                                            ErrorCode.FAILED_PRECONDITION,
                                            "the servers of this cluster share no key for secrets"
                                                    + " of apps; set cluster.token, the same on"
                                                    + " all servers"));
            AlgorithmParameterSpec parameters =
                    HKDFParameterSpec.ofExtract()
                            .addIKM(shared.getBytes(StandardCharsets.UTF_8))
                            .thenExpand(PURPOSE, KEY_BYTES);
            try {
                return new SecretKeySpec(
                        KDF.getInstance("HKDF-SHA256").deriveData(parameters), "AES");
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("this Java runtime has no HKDF-SHA256", e);
            }
        }

        @Override
        public String description() {
            return "that of cluster.token";
        }

        /** Without the token. */
        @Override
        public String toString() {
            return "SecretsKey.OfCluster";
        }
    }
}
