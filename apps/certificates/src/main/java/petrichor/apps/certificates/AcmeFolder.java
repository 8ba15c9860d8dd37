package petrichor.apps.certificates;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import petrichor.apps.router.tls.CertificateFiles;
import petrichor.base.FileProblem;
import petrichor.base.PrivateFolder;

/**
 * What is kept for one ACME server: the key of the account, certificates with their keys as {@code
 * HOST.pem}, and failed orders as {@code HOST.failed}. The owner alone can read the folder and its
 * files. A certificate and its key are in one file, which is replaced at once. Thread-safe; blocks.
 */
final class AcmeFolder {
    private static final String CERTIFICATE = ".pem";
    private static final String FAILED = ".failed";
    private static final String ACCOUNT = "account.key";

    private final Path folder;

    private AcmeFolder(Path folder) {
        this.folder = folder;
    }

    /** Another server's certificates, such as those of a test, are in a folder of their own. */
    static AcmeFolder open(Path parent, URI directory) {
        String server = directory.getAuthority().replaceAll("[^A-Za-z0-9.-]", "_");
        AcmeFolder opened = new AcmeFolder(parent.resolve(server));
        try {
            PrivateFolder.create(parent);
            PrivateFolder.create(opened.folder);
        } catch (IOException failed) {
            throw FileProblem.of("cannot create the folder of certificates " + parent, failed);
        }
        return opened;
    }

    boolean contains(CertificateFiles files) {
        return files.chain().startsWith(folder);
    }

    List<CertificateFiles> certificates() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(CERTIFICATE))
                    .sorted()
                    .map(file -> new CertificateFiles(file, file))
                    .toList();
        } catch (IOException failed) {
            throw FileProblem.of("cannot read the certificates in " + folder, failed);
        }
    }

    void store(String host, String pem) {
        write(host + CERTIFICATE, pem);
        delete(host + FAILED);
    }

    /** The key of the account; creates it with the first call. */
    synchronized KeyPair accountKey() {
        Path file = folder.resolve(ACCOUNT);
        try {
            if (Files.exists(file)) {
                String pem = Files.readString(file);
                KeyFactory keys = KeyFactory.getInstance("EC");
                return new KeyPair(
                        keys.generatePublic(new X509EncodedKeySpec(block(pem, "PUBLIC KEY"))),
                        keys.generatePrivate(new PKCS8EncodedKeySpec(block(pem, "PRIVATE KEY"))));
            }
            KeyPair created = AcmeClient.key();
            write(
                    ACCOUNT,
                    AcmeClient.pem("PRIVATE KEY", created.getPrivate())
                            + AcmeClient.pem("PUBLIC KEY", created.getPublic()));
            return created;
        } catch (GeneralSecurityException damaged) {
            throw FileProblem.of("cannot use the account's key " + file, new IOException(damaged));
        } catch (IOException failed) {
            throw FileProblem.of("cannot use the account's key " + file, failed);
        }
    }

    private static byte[] block(String pem, String type) throws GeneralSecurityException {
        String begin = "-----BEGIN " + type + "-----";
        int from = pem.indexOf(begin);
        int to = pem.indexOf("-----END " + type + "-----", Math.max(from, 0));
        if (from < 0 || to < 0) {
            throw new GeneralSecurityException("the file contains no " + type);
        }
        return Base64.getMimeDecoder().decode(pem.substring(from + begin.length(), to));
    }

    Optional<OrderAttempts> attempts(String host) {
        Path file = folder.resolve(host + FAILED);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Properties stored = new Properties();
        try (var in = Files.newBufferedReader(file)) {
            stored.load(in);
            return Optional.of(
                    new OrderAttempts(
                            Integer.parseInt(stored.getProperty("failures", "1")),
                            stored.getProperty("reason", ""),
                            Instant.parse(stored.getProperty("next", Instant.EPOCH.toString()))));
        } catch (IOException | IllegalArgumentException | java.time.DateTimeException unreadable) {
            return Optional.empty(); // the order is repeated at once
        }
    }

    void failed(String host, OrderAttempts attempts) {
        Properties stored = new Properties();
        stored.setProperty("failures", Integer.toString(attempts.failures()));
        stored.setProperty("reason", attempts.reason());
        stored.setProperty("next", attempts.next().toString());
        StringWriter text = new StringWriter();
        try {
            stored.store(text, null);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        write(host + FAILED, text.toString());
    }

    void forget(String host) {
        delete(host + FAILED);
    }

    private void delete(String name) {
        try {
            Files.deleteIfExists(folder.resolve(name));
        } catch (IOException failed) {
            throw FileProblem.of("cannot delete " + folder.resolve(name), failed);
        }
    }

    private void write(String name, String text) {
        Path temporary = folder.resolve(name + ".new");
        try {
            Files.deleteIfExists(temporary);
            Files.createFile(
                    temporary,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.writeString(temporary, text, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
            Files.move(temporary, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            throw FileProblem.of("cannot write " + folder.resolve(name), failed);
        }
    }
}
