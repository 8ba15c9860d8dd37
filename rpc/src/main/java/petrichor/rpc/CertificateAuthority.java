package petrichor.rpc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The certificate authority of one cluster: a folder with {@code authority.pem}, which all servers
 * trust, and {@code authority-key.pem}, with which it issues certificates of servers and which no
 * server needs. Keys are readable by their owner only. Uses the JDK's keytool.
 */
public final class CertificateAuthority {
    private static final String AUTHORITY = "authority";
    private static final String SERVER = "server";
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final int LINE_CHARACTERS = 64;
    private static final int PASSWORD_BYTES = 16;
    private static final int KEYTOOL_MAX_S = 60;

    private final Path folder;

    private CertificateAuthority(Path folder) {
        this.folder = folder;
    }

    /** The files of a server. */
    public record Issued(Path certificate, Path key) {}

    /**
     * Opens the authority of the folder; creates both if they do not exist.
     *
     * @param days validity of a new authority
     */
    public static CertificateAuthority openOrCreate(Path folder, int days) {
        CertificateAuthority authority = new CertificateAuthority(folder);
        try {
            Files.createDirectories(folder);
        } catch (IOException failed) {
            throw cannotWrite(folder, failed);
        }
        if (!Files.exists(authority.certificate()) && !Files.exists(authority.key())) {
            authority.create(days);
        }
        return authority;
    }

    /** For {@code cluster.authority} of all servers. */
    public Path certificate() {
        return folder.resolve(AUTHORITY + ".pem");
    }

    /** Must be kept where the servers cannot read it. */
    public Path key() {
        return folder.resolve(AUTHORITY + "-key.pem");
    }

    private void create(int days) {
        try (Workshop workshop = new Workshop()) {
            workshop.keytool(
                    AUTHORITY,
                    days,
                    "CN=Petrichor cluster authority",
                    List.of("-ext", "bc:critical=ca:true,pathlen:0", "-ext", "ku:critical=kCS"));
            workshop.write(AUTHORITY, certificate(), key());
        }
    }

    /**
     * Issues a certificate for a server, into {@code NAME.pem} and {@code NAME-key.pem}; replaces
     * an earlier one of that name.
     *
     * @param name of the server, for display, such as its host
     */
    public Issued issue(String name, int days) {
        return issue(name, days, PeerCertificates.NAME);
    }

    /** With a DNS name other than a server's, so that servers reject it. */
    Issued issue(String name, int days, String dnsName) {
        if (!name.matches("[A-Za-z0-9]([A-Za-z0-9._-]{0,62})") || name.equals(AUTHORITY)) {
            throw PetrichorException.invalid(
                    "'{name}' cannot be the name of a server: use its host name, of letters,"
                            + " digits, '.', '_' and '-'",
                    "name",
                    name);
        }
        PemIdentity authority = PemIdentity.read(certificate(), key());
        Issued issued =
                new Issued(folder.resolve(name + ".pem"), folder.resolve(name + "-key.pem"));
        try (Workshop workshop = new Workshop()) {
            workshop.add(authority);
            workshop.keytool(
                    SERVER,
                    days,
                    "CN=" + name,
                    List.of(
                            "-signer",
                            AUTHORITY,
                            "-ext",
                            "san=dns:" + dnsName,
                            "-ext",
                            "ku:critical=digitalSignature",
                            "-ext",
                            "eku=serverAuth,clientAuth"));
            workshop.write(SERVER, issued.certificate(), issued.key());
        }
        return issued;
    }

    private static PetrichorException cannotWrite(Path what, Exception why) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                why,
                "cannot write {file}: {reason}",
                "file",
                what,
                "reason",
                why);
    }

    /** A temporary key store, readable only by its owner. */
    private static final class Workshop implements AutoCloseable {
        private final Path temporary;
        private final Path store;
        private final Path password;
        private final char[] secret;

        Workshop() {
            byte[] random = new byte[PASSWORD_BYTES];
            new SecureRandom().nextBytes(random);
            this.secret = HexFormat.of().formatHex(random).toCharArray();
            try {
                this.temporary = Files.createTempDirectory("petrichor-authority-");
                this.store = temporary.resolve("keys.p12");
                this.password = temporary.resolve("password");
                Files.writeString(password, new String(secret));
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }

        void add(PemIdentity authority) {
            try (var out = Files.newOutputStream(store)) {
                KeyStore keys = KeyStore.getInstance("PKCS12");
                keys.load(null, secret);
                keys.setKeyEntry(
                        AUTHORITY,
                        authority.key(),
                        secret,
                        authority.chain().toArray(Certificate[]::new));
                keys.store(out, secret);
            } catch (GeneralSecurityException | IOException failed) {
                throw cannotWrite(store, failed);
            }
        }

        void keytool(String alias, int days, String subject, List<String> more) {
            List<String> command =
                    new ArrayList<>(
                            List.of(
                                    Path.of(System.getProperty("java.home"), "bin", "keytool")
                                            .toString(),
                                    "-genkeypair",
                                    "-alias",
                                    alias,
                                    "-keyalg",
                                    "EC",
                                    "-groupname",
                                    "secp256r1",
                                    "-dname",
                                    subject,
                                    "-validity",
                                    Integer.toString(days),
                                    "-storetype",
                                    "PKCS12",
                                    "-keystore",
                                    store.toString(),
                                    "-storepass:file",
                                    password.toString()));
            command.addAll(more);
            run(command);
        }

        private static void run(List<String> command) {
            try {
                Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
                keytool.getOutputStream().close();
                String said =
                        new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                if (!keytool.waitFor(KEYTOOL_MAX_S, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                    keytool.destroyForcibly();
                    throw PetrichorException.of(
                            ErrorCode.INTERNAL,
                            "keytool could not make a certificate: {output}",
                            "output",
                            said);
                }
            } catch (IOException missing) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        missing,
                        "cannot run the JDK's keytool: {reason}",
                        "reason",
                        missing.getMessage());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE, "interrupted while keytool made a certificate");
            }
        }

        /** Writes only the certificate itself: servers have the authority's. */
        void write(String alias, Path certificate, Path key) {
            try (InputStream in = Files.newInputStream(store)) {
                KeyStore keys = KeyStore.getInstance("PKCS12");
                keys.load(in, secret);
                PrivateKey made = (PrivateKey) keys.getKey(alias, secret);
                replace(key, pem("PRIVATE KEY", made.getEncoded()), "rw-------");
                replace(
                        certificate,
                        pem(CERTIFICATE, keys.getCertificate(alias).getEncoded()),
                        "rw-r--r--");
            } catch (GeneralSecurityException | IOException failed) {
                throw cannotWrite(certificate, failed);
            }
        }

        /** Atomic: a server that reads the file sees the old content or the new. */
        private static void replace(Path file, String content, String permissions)
                throws IOException {
            Path fresh = file.resolveSibling(file.getFileName() + ".new");
            Files.deleteIfExists(fresh);
            Files.createFile(
                    fresh,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString(permissions)));
            Files.writeString(fresh, content, StandardOpenOption.WRITE);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        }

        private static String pem(String kind, byte[] content) {
            String base64 =
                    Base64.getMimeEncoder(LINE_CHARACTERS, new byte[] {'\n'})
                            .encodeToString(content);
            return "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n";
        }

        @Override
        public void close() {
            try (Stream<Path> files = Files.walk(temporary)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            } catch (IOException left) {
                throw new UncheckedIOException(left);
            }
        }
    }
}
