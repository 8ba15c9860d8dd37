package petrichor.movement.backups;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Files of rows:
 *
 * <pre>
 * header   "PTRBAK01" | encrypted (1 byte) | salt (16)
 * block    length of what is stored (4) | length of its rows (4) | CRC32C of what is stored (4) | stored
 * end      0 (4) | number of blocks (4) | CRC32C of this number (4)
 * </pre>
 *
 * A block is stored compressed (zstd) and, with a key, encrypted (AES-256-GCM; the nonce is the
 * number of the block, which is also authenticated). Stateless.
 */
final class SegmentFormat {
    static final byte[] MAGIC = "PTRBAK01".getBytes(StandardCharsets.US_ASCII);
    static final int SALT_BYTES = 16;
    static final int HEADER_BYTES = MAGIC.length + 1 + SALT_BYTES;
    static final int BLOCK_HEADER_BYTES = 3 * Integer.BYTES;

    /** Of a block; an entity has at most 1 MiB. */
    static final int BLOCK_BYTES_MAX = 64 << 20;

    static final int GCM_TAG_BYTES = 16;
    private static final int NONCE_BYTES = 12;

    private SegmentFormat() {}

    static Cipher cipher(int mode, SecretKey key, int block) throws GeneralSecurityException {
        byte[] nonce = ByteBuffer.allocate(NONCE_BYTES).putInt(block).array();
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(GCM_TAG_BYTES * Byte.SIZE, nonce));
        cipher.updateAAD(ByteBuffer.allocate(Integer.BYTES).putInt(block).array());
        return cipher;
    }

    static int crc(byte[] bytes) {
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        crc.update(bytes, 0, bytes.length);
        return (int) crc.getValue();
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
