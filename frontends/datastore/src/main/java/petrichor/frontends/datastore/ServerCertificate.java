package petrichor.frontends.datastore;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
 * A certificate chain and its private key, read from PEM files and known to belong together.
 * Immutable: a certificate that is renewed is another object.
 *
 * @param validUntil end of the validity of the server's own certificate
 */
record ServerCertificate(SslContext context, Instant validUntil) {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([\\s\\S]+?)-----END PRIVATE KEY-----");

    /** By what the key's factory is called; Java has no way to ask the encoded key. */
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    /** FAILED_PRECONDITION if the files cannot be used. */
    static ServerCertificate read(FrontEndSettings.Tls files) {
        try {
            List<X509Certificate> chain = chain(Files.readAllBytes(files.certificateChain()));
            PrivateKey key = key(Files.readString(files.privateKey(), StandardCharsets.US_ASCII));
            requirePair(key, chain.getFirst());
            return new ServerCertificate(
                    context(key, chain), chain.getFirst().getNotAfter().toInstant());
        } catch (IOException | GeneralSecurityException | IllegalArgumentException unusable) {
            throw new PetrichorException(
                    ErrorCode.FAILED_PRECONDITION,
                    "cannot use the certificate "
                            + files.certificateChain()
                            + " with the key "
                            + files.privateKey()
                            + ": both must be PEM files, the key PKCS 8 without a password ("
                            + unusable.getMessage()
                            + ")",
                    Map.of(),
                    unusable);
        }
    }

    boolean isExpired(Instant now) {
        return now.isAfter(validUntil);
    }

    private static List<X509Certificate> chain(byte[] pem) throws GeneralSecurityException {
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

    /** Half of a renewal may be on disk when the other half is not. */
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

    private static SslContext context(PrivateKey key, List<X509Certificate> chain)
            throws IOException {
        return SslContextBuilder.forServer(key, chain)
                .applicationProtocolConfig(
                        new ApplicationProtocolConfig(
                                ApplicationProtocolConfig.Protocol.ALPN,
                                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                                // who offers both is curl or a browser; gRPC offers only HTTP/2,
                                // and HTTP/2 is gRPC here
                                ApplicationProtocolNames.HTTP_1_1,
                                ApplicationProtocolNames.HTTP_2))
                .build();
    }
}
