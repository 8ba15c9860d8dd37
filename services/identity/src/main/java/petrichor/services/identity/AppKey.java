package petrichor.services.identity;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;

/**
 * A key of an app, with its certificate. Signs with SHA256withRSA, as App Engine does. Immutable.
 *
 * @param name hash of the public key
 * @param certificate X.509 in DER
 */
record AppKey(String name, PrivateKey key, byte[] certificate) {
    private static final String ALGORITHM = "RSA";
    private static final String SIGNATURE = "SHA256withRSA";
    private static final int KEY_BITS = 2_048;
    private static final int NAME_BYTES = 20;
    private static final int LINE_CHARACTERS = 64;

    /** There is no revocation; a new key needs a new certificate anyway. */
    private static final Duration VALIDITY = Duration.ofDays(3_650);

    static AppKey create(String serviceAccount, Instant now, SecureRandom random) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(ALGORITHM);
            generator.initialize(KEY_BITS, random);
            KeyPair pair = generator.generateKeyPair();
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(pair.getPublic().getEncoded());
            byte[] certificate =
                    new SelfSignedCertificate(serviceAccount, now, now.plus(VALIDITY))
                            .encode(pair, random);
            return new AppKey(
                    HexFormat.of().formatHex(hash, 0, NAME_BYTES), pair.getPrivate(), certificate);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    byte[] encode() {
        return new OrderedWriter()
                .putString(name)
                .putString(key.getEncoded())
                .putString(certificate)
                .toBytes();
    }

    static AppKey decode(byte[] row) {
        OrderedReader reader = new OrderedReader(row, 0);
        String name = reader.takeString();
        try {
            PrivateKey key =
                    KeyFactory.getInstance(ALGORITHM)
                            .generatePrivate(new PKCS8EncodedKeySpec(reader.takeStringBytes()));
            return new AppKey(name, key, reader.takeStringBytes());
        } catch (GeneralSecurityException damaged) {
            throw new IllegalStateException("the row of an app's key is damaged", damaged);
        }
    }

    byte[] sign(byte[] bytes) {
        try {
            Signature signature = Signature.getInstance(SIGNATURE);
            signature.initSign(key);
            signature.update(bytes);
            return signature.sign();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /** The certificate in PEM. */
    String pem() {
        return "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder(LINE_CHARACTERS, new byte[] {'\n'})
                        .encodeToString(certificate)
                + "\n-----END CERTIFICATE-----\n";
    }
}
