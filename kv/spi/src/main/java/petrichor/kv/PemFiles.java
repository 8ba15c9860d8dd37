package petrichor.kv;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Loads certificates and keys from PEM files. Unusable files are FAILED_PRECONDITION. */
final class PemFiles {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String KEY = "PRIVATE KEY";
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");

    private PemFiles() {}

    static KeyStore trusted(Path file) throws GeneralSecurityException {
        KeyStore store = empty();
        int number = 0;
        for (Certificate one : certificates(file)) {
            store.setCertificateEntry("trusted-" + number++, one);
        }
        return store;
    }

    static KeyStore identity(Path certificate, Path key, char[] password)
            throws GeneralSecurityException {
        KeyStore store = empty();
        store.setKeyEntry(
                "own", key(key), password, certificates(certificate).toArray(Certificate[]::new));
        return store;
    }

    private static KeyStore empty() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
            return store;
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static List<Certificate> certificates(Path file) throws GeneralSecurityException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<Certificate> found = new ArrayList<>();
        for (byte[] block : blocks(file, CERTIFICATE)) {
            try {
                found.add(factory.generateCertificate(new ByteArrayInputStream(block)));
            } catch (GeneralSecurityException damaged) {
                throw unusable(file, "it has a damaged certificate", damaged);
            }
        }
        return found;
    }

    private static PrivateKey key(Path file) throws GeneralSecurityException {
        PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(blocks(file, KEY).getFirst());
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException another) {
                // Tries the next algorithm.
            }
        }
        throw unusable(file, "its key is none of " + ALGORITHMS, null);
    }

    private static List<byte[]> blocks(Path file, String kind) {
        Matcher block = BLOCK.matcher(text(file));
        List<byte[]> found = new ArrayList<>();
        List<String> others = new ArrayList<>();
        while (block.find()) {
            if (block.group(1).equals(kind)) {
                try {
                    found.add(Base64.getMimeDecoder().decode(block.group(2)));
                } catch (IllegalArgumentException damaged) {
                    throw unusable(file, "a part of it is not base64", damaged);
                }
            } else {
                others.add(block.group(1));
            }
        }
        if (found.isEmpty()) {
            throw unusable(
                    file,
                    "it has no block '"
                            + kind
                            + "'"
                            + (others.isEmpty() ? "" : ", only " + others)
                            + (kind.equals(KEY)
                                    ? "; `openssl pkcs8 -topk8 -nocrypt` converts a key to PKCS 8"
                                    : ""),
                    null);
        }
        return found;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException missing) {
            throw unusable(file, "there is no such file", missing);
        } catch (IOException unreadable) {
            throw unusable(file, String.valueOf(unreadable.getMessage()), unreadable);
        }
    }

    private static PetrichorException unusable(
            Path file, String why, @org.jspecify.annotations.Nullable Throwable cause) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                cause,
                "cannot use the PEM file {path}: {reason}",
                "path",
                file.toAbsolutePath(),
                "reason",
                why,
                "file",
                file.toString());
    }
}
