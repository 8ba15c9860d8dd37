package petrichor.apps.router.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.PrivateFolder;

/**
 * A certificate authority for development, in a folder that only its owner can read: {@code
 * authority.pem}, which browsers and clients of the developer may trust, and its key. Uses the
 * JDK's keytool. For production, use certificates of a public authority.
 */
public final class DevelopmentAuthority {
    private static final String AUTHORITY = "authority";
    private static final String SERVER = "server";
    private static final int DAYS = 365;
    private static final int AUTHORITY_DAYS = 3650;
    private static final int PASSWORD_BYTES = 16;
    private static final int LINE_CHARACTERS = 64;
    private static final int KEYTOOL_MAX_S = 60;
    private static final Pattern HOST =
            Pattern.compile("(\\*\\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9a-f:]*:[0-9a-f:.]*");

    private final Path folder;

    private DevelopmentAuthority(Path folder) {
        this.folder = folder;
    }

    /** Opens the authority of the folder; creates both if they do not exist. */
    public static DevelopmentAuthority openOrCreate(Path folder) {
        DevelopmentAuthority authority = new DevelopmentAuthority(folder);
        try {
            PrivateFolder.create(folder);
            if (!Files.exists(authority.certificate())) {
                byte[] random = new byte[PASSWORD_BYTES];
                new SecureRandom().nextBytes(random);
                replace(authority.password(), HexFormat.of().formatHex(random), "rw-------");
                Files.deleteIfExists(authority.store());
                authority.create();
            }
        } catch (IOException failed) {
            throw cannotWrite(folder, failed);
        }
        return authority;
    }

    /** What clients have to trust. */
    public Path certificate() {
        return folder.resolve(AUTHORITY + ".pem");
    }

    private Path store() {
        return folder.resolve("keys.p12");
    }

    private Path password() {
        return folder.resolve("password");
    }

    private void create() {
        keytool(
                AUTHORITY,
                AUTHORITY_DAYS,
                "CN=Petrichor development authority",
                List.of("-ext", "bc:critical=ca:true,pathlen:0", "-ext", "ku:critical=kCS"));
        write(AUTHORITY, certificate(), folder.resolve(AUTHORITY + "-key.pem"));
    }

    /**
     * Issues a certificate, into {@code NAME.pem} and {@code NAME-key.pem}; replaces an earlier one
     * of that name.
     *
     * @param name of the files
     * @param hosts host names in lower case, {@code *.} followed by one, or addresses
     */
    public synchronized CertificateFiles issue(String name, List<String> hosts) {
        List<String> names = new ArrayList<>();
        for (String host : hosts) {
            if (ADDRESS.matcher(host).matches()) {
                names.add("ip:" + host);
            } else if (HOST.matcher(host).matches()) {
                names.add("dns:" + host);
            } else {
                throw PetrichorException.invalid(
                        "'{host}' is not a host name in lower case", "host", host);
            }
        }
        if (!name.matches("[a-z0-9][a-z0-9-]{0,62}") || name.equals(AUTHORITY) || names.isEmpty()) {
            throw PetrichorException.invalid(
                    "'{name}' cannot be the name of a certificate: use letters, digits and '-', and"
                            + " at least one host",
                    "name",
                    name);
        }
        CertificateFiles issued =
                new CertificateFiles(
                        folder.resolve(name + ".pem"), folder.resolve(name + "-key.pem"));
        remove(SERVER);
        keytool(
                SERVER,
                DAYS,
                "CN=Petrichor development",
                List.of(
                        "-signer",
                        AUTHORITY,
                        "-ext",
                        "san=" + String.join(",", names),
                        "-ext",
                        "ku:critical=digitalSignature",
                        "-ext",
                        "eku=serverAuth"));
        write(SERVER, issued.chain(), issued.key());
        remove(SERVER);
        return issued;
    }

    private char[] secret() throws IOException {
        return Files.readString(password()).toCharArray();
    }

    private KeyStore read() throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store())) {
            keys.load(in, secret());
        }
        return keys;
    }

    private void remove(String alias) {
        try {
            KeyStore keys = read();
            if (keys.containsAlias(alias)) {
                keys.deleteEntry(alias);
                try (var out = Files.newOutputStream(store())) {
                    keys.store(out, secret());
                }
            }
        } catch (GeneralSecurityException | IOException failed) {
            throw cannotWrite(store(), failed);
        }
    }

    private void keytool(String alias, int days, String subject, List<String> more) {
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
                                store().toString(),
                                "-storepass:file",
                                password().toString()));
        command.addAll(more);
        try {
            Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
            keytool.getOutputStream().close();
            String output =
                    new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!keytool.waitFor(KEYTOOL_MAX_S, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                keytool.destroyForcibly();
                throw PetrichorException.of(
                        ErrorCode.INTERNAL,
                        "keytool could not make a certificate: {output}",
                        "output",
                        output);
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

    private void write(String alias, Path certificate, Path key) {
        try {
            KeyStore keys = read();
            StringBuilder chain = new StringBuilder();
            for (Certificate each : keys.getCertificateChain(alias)) {
                chain.append(pem("CERTIFICATE", each.getEncoded()));
            }
            byte[] secret = keys.getKey(alias, secret()).getEncoded();
            replace(key, pem("PRIVATE KEY", secret), "rw-------");
            replace(certificate, chain.toString(), "rw-r--r--");
        } catch (GeneralSecurityException | IOException failed) {
            throw cannotWrite(certificate, failed);
        }
    }

    /** Atomic: a reader sees the old content or the new. */
    private static void replace(Path file, String content, String permissions) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        Files.createFile(
                fresh,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
        Files.writeString(fresh, content, StandardOpenOption.WRITE);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String pem(String kind, byte[] content) {
        String base64 =
                Base64.getMimeEncoder(LINE_CHARACTERS, new byte[] {'\n'}).encodeToString(content);
        return "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n";
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
}
