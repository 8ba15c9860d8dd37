package petrichor.apps.router.tls;

import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A certificate with its key, ready for handshakes. Immutable.
 *
 * @param content of the files
 * @param hosts that it names, in lower case
 * @param issued before which clients refuse it
 * @param expires after which clients refuse it
 */
record ServedCertificate(
        CertificateFiles files,
        Content content,
        SslContext context,
        List<String> hosts,
        Instant issued,
        Instant expires) {
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    /** Signed to see whether key and certificate belong together. */
    private static final byte[] PROBE = "petrichor".getBytes(StandardCharsets.US_ASCII);

    ServedCertificate {
        hosts = List.copyOf(hosts);
    }

    /** Both files; they may be the same one. */
    record Content(String chain, String key) {
        static Content read(CertificateFiles files) throws IOException {
            return new Content(Files.readString(files.chain()), Files.readString(files.key()));
        }
    }

    /**
     * Fails if the key is not that of the certificate: then only one of two files was replaced so
     * far.
     */
    static ServedCertificate of(CertificateFiles files, Content content)
            throws IOException, GeneralSecurityException {
        List<X509Certificate> chain = chain(content.chain());
        PrivateKey key = key(content.key(), chain.getFirst().getPublicKey().getAlgorithm());
        requireMatching(chain.getFirst(), key);
        return new ServedCertificate(
                files,
                content,
                context(chain, key),
                hosts(chain.getFirst()),
                chain.getFirst().getNotBefore().toInstant(),
                chain.getFirst().getNotAfter().toInstant());
    }

    private static List<byte[]> blocks(String pem, String type) {
        Matcher block =
                Pattern.compile("-----BEGIN " + type + "-----([^-]*)-----END " + type + "-----")
                        .matcher(pem);
        List<byte[]> found = new ArrayList<>();
        while (block.find()) {
            found.add(Base64.getMimeDecoder().decode(block.group(1)));
        }
        return found;
    }

    private static List<X509Certificate> chain(String pem) throws CertificateException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<X509Certificate> chain = new ArrayList<>();
        for (byte[] block : blocks(pem, "CERTIFICATE")) {
            chain.add(
                    (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block)));
        }
        if (chain.isEmpty()) {
            throw new CertificateException("there is no certificate in the file");
        }
        return chain;
    }

    private static PrivateKey key(String pem, String algorithm) throws GeneralSecurityException {
        List<byte[]> keys = blocks(pem, "PRIVATE KEY");
        if (keys.size() != 1) {
            throw new CertificateException("there is no unencrypted PKCS 8 key in the file");
        }
        return KeyFactory.getInstance(algorithm)
                .generatePrivate(new PKCS8EncodedKeySpec(keys.getFirst()));
    }

    private static void requireMatching(X509Certificate certificate, PrivateKey key)
            throws GeneralSecurityException {
        String type = certificate.getPublicKey().getAlgorithm();
        String algorithm =
                switch (type) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> type;
                };
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(PROBE);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(PROBE);
        if (!signature.verify(signed)) {
            throw new CertificateException("the key is not that of the certificate");
        }
    }

    private static SslContext context(List<X509Certificate> chain, PrivateKey key)
            throws IOException {
        return SslContextBuilder.forServer(key, chain)
                .sslProvider(SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2")
                .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                .applicationProtocolConfig(
                        new ApplicationProtocolConfig(
                                ApplicationProtocolConfig.Protocol.ALPN,
                                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                                ApplicationProtocolNames.HTTP_2,
                                ApplicationProtocolNames.HTTP_1_1))
                .build();
    }

    private static List<String> hosts(X509Certificate certificate) throws CertificateException {
        Collection<List<?>> names = certificate.getSubjectAlternativeNames();
        List<String> hosts = new ArrayList<>();
        for (List<?> name : names == null ? List.<List<?>>of() : names) {
            if (name.get(0) instanceof Integer kind && (kind == DNS_NAME || kind == IP_ADDRESS)) {
                hosts.add(String.valueOf(name.get(1)).toLowerCase(Locale.ROOT));
            }
        }
        return hosts;
    }
}
