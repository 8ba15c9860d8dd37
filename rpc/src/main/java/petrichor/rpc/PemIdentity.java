package petrichor.rpc;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A certificate chain and the matching private key, read from PEM files. Immutable: a renewed
 * certificate is a new object.
 */
public record PemIdentity(List<X509Certificate> chain, PrivateKey key) {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([\\s\\S]+?)-----END PRIVATE KEY-----");

    /** By the name of the key's factory; Java cannot derive it from the encoded key. */
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    public PemIdentity {
        chain = List.copyOf(chain);
    }

    /** FAILED_PRECONDITION if the files cannot be used. */
    public static PemIdentity read(Path certificateChain, Path privateKey) {
        try {
            List<X509Certificate> chain = certificates(Files.readAllBytes(certificateChain));
            PrivateKey key = key(Files.readString(privateKey, StandardCharsets.US_ASCII));
            requirePair(key, chain.getFirst());
            return new PemIdentity(chain, key);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException unusable) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    unusable,
                    "cannot use the certificate {certificateChain} with the key {privateKey}: both"
                            + " must be PEM files, the key PKCS 8 without a password ({reason})",
                    "certificateChain",
                    certificateChain,
                    "privateKey",
                    privateKey,
                    "reason",
                    unusable.getMessage());
        }
    }

    /** Reads the certificates of authorities. FAILED_PRECONDITION if the file cannot be used. */
    static List<X509Certificate> authorities(Path file) {
        try {
            return certificates(Files.readAllBytes(file));
        } catch (IOException | GeneralSecurityException unusable) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    unusable,
                    "cannot use the certificates of authorities in {file}: it must be a PEM file"
                            + " ({reason})",
                    "file",
                    file,
                    "reason",
                    unusable.getMessage());
        }
    }

    /** End of the validity of the first certificate, which is the server's own. */
    public Instant validUntil() {
        return chain.getFirst().getNotAfter().toInstant();
    }

    private static List<X509Certificate> certificates(byte[] pem) throws GeneralSecurityException {
        List<X509Certificate> chain =
                CertificateFactory.getInstance("X.509")
                        .generateCertificates(new ByteArrayInputStream(pem))
                        .stream()
                        .map(X509Certificate.class::cast)
                        .toList();
        if (chain.isEmpty()) {
            throw new GeneralSecurityException("the certificate file contains no certificate");
        }
        return chain;
    }

    private static PrivateKey key(String pem) throws GeneralSecurityException {
        Matcher matcher = KEY.matcher(pem);
        if (!matcher.find()) {
            throw new GeneralSecurityException("the key file contains no PRIVATE KEY");
        }
        PKCS8EncodedKeySpec encoded =
                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(matcher.group(1)));
        GeneralSecurityException last = new GeneralSecurityException("unknown kind of key");
        for (String kind : SIGNATURES.keySet()) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(encoded);
            } catch (GeneralSecurityException another) {
                last = another;
            }
        }
        throw last;
    }

    /** During a renewal, only one of the two files may have been replaced. */
    private static void requirePair(PrivateKey key, X509Certificate certificate)
            throws GeneralSecurityException {
        String algorithm = SIGNATURES.get(key.getAlgorithm());
        if (algorithm == null) {
            throw new GeneralSecurityException("unknown kind of key " + key.getAlgorithm());
        }
        byte[] sample = certificate.getEncoded();
        Signature signing = Signature.getInstance(algorithm);
        signing.initSign(key);
        signing.update(sample);
        byte[] signed = signing.sign();
        if (!verifies(algorithm, certificate.getPublicKey(), sample, signed)) {
            throw new GeneralSecurityException("the key does not match the certificate");
        }
    }

    private static boolean verifies(String algorithm, PublicKey key, byte[] sample, byte[] signed) {
        try {
            Signature verifying = Signature.getInstance(algorithm);
            verifying.initVerify(key);
            verifying.update(sample);
            return verifying.verify(signed);
        } catch (GeneralSecurityException anotherKindOfKey) {
            return false;
        }
    }
}
