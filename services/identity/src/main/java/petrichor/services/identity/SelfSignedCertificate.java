package petrichor.services.identity;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.Signature;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import petrichor.base.Bytes;

/**
 * An X.509 certificate (RFC 5280, version 1) that the key of its subject signs. The JDK reads
 * certificates but does not create them.
 *
 * @param commonName of subject and issuer
 */
record SelfSignedCertificate(String commonName, Instant from, Instant until) {
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int UTF8_STRING = 0x0C;
    private static final int GENERALIZED_TIME = 0x18;

    private static final int SERIAL_BITS = 64;
    private static final int SHORT_LENGTH_MAX = 0x7F;

    /** 2.5.4.3. */
    private static final byte[] COMMON_NAME = {0x06, 0x03, 0x55, 0x04, 0x03};

    /** 1.2.840.113549.1.1.11 and no parameters: SHA-256 with RSA. */
    private static final byte[] SHA256_WITH_RSA = {
        0x30,
        0x0D,
        0x06,
        0x09,
        0x2A,
        (byte) 0x86,
        0x48,
        (byte) 0x86,
        (byte) 0xF7,
        0x0D,
        0x01,
        0x01,
        0x0B,
        0x05,
        0x00
    };

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    byte[] encode(KeyPair pair, SecureRandom random) throws GeneralSecurityException {
        byte[] name =
                tagged(
                        SEQUENCE,
                        tagged(
                                SET,
                                tagged(
                                        SEQUENCE,
                                        COMMON_NAME,
                                        tagged(UTF8_STRING, commonName.getBytes(UTF_8)))));
        BigInteger serial = new BigInteger(SERIAL_BITS, random).setBit(SERIAL_BITS);
        byte[] unsigned =
                tagged(
                        SEQUENCE,
                        tagged(INTEGER, serial.toByteArray()),
                        SHA256_WITH_RSA,
                        name,
                        tagged(SEQUENCE, time(from), time(until)),
                        name,
                        pair.getPublic().getEncoded());
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(pair.getPrivate());
        signature.update(unsigned);
        return tagged(
                SEQUENCE,
                unsigned,
                SHA256_WITH_RSA,
                tagged(BIT_STRING, new byte[] {0}, signature.sign()));
    }

    private static byte[] time(Instant instant) {
        return tagged(GENERALIZED_TIME, TIME.format(instant).getBytes(US_ASCII));
    }

    /** Tag, length and content in DER. */
    private static byte[] tagged(int tag, byte[]... parts) {
        byte[] content = Bytes.concat(parts);
        byte[] length =
                content.length <= SHORT_LENGTH_MAX
                        ? new byte[] {(byte) content.length}
                        : longLength(content.length);
        return Bytes.concat(new byte[] {(byte) tag}, length, content);
    }

    private static byte[] longLength(int length) {
        byte[] bytes = BigInteger.valueOf(length).toByteArray();
        byte[] unsigned = bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
        return Bytes.concat(new byte[] {(byte) (0x80 | unsigned.length)}, unsigned);
    }
}
