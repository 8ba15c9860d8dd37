package petrichor.movement.backups;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.security.DigestOutputStream;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;

/** Writes a file of rows; see {@link SegmentFormat}. Confined to one thread. */
final class SegmentWriter implements AutoCloseable {
    /** The default level of zstd: higher ones would be slower than the scan. */
    private static final int LEVEL = 3;

    private final String name;
    private final BackupTarget.Upload upload;
    private final DigestOutputStream out;
    private final @Nullable SecretKey key;
    private int blocks;
    private long rows;
    private long bytes;

    SegmentWriter(BackupTarget target, String name, @Nullable BackupKey backupKey) {
        this.name = name;
        this.upload = target.write(name);
        OutputStream stream = upload.stream();
        this.out = new DigestOutputStream(stream, SegmentFormat.sha256());
        byte[] salt = new byte[SegmentFormat.SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        this.key = backupKey == null ? null : backupKey.forFile(salt);
        ByteBuffer header = ByteBuffer.allocate(SegmentFormat.HEADER_BYTES);
        header.put(SegmentFormat.MAGIC).put((byte) (key == null ? 0 : 1)).put(salt);
        put(header.array());
    }

    private void put(byte[] some) {
        try {
            out.write(some);
            bytes += some.length;
        } catch (IOException failed) {
            throw FileProblem.of("cannot write " + name, failed);
        }
    }

    /**
     * @param block rows encoded by {@link RowBlock}
     */
    void add(byte[] block, int rowsCount) {
        byte[] stored = Zstd.compress(block, LEVEL);
        if (key != null) {
            try {
                stored = SegmentFormat.cipher(Cipher.ENCRYPT_MODE, key, blocks).doFinal(stored);
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        ByteBuffer header = ByteBuffer.allocate(SegmentFormat.BLOCK_HEADER_BYTES);
        header.putInt(stored.length).putInt(block.length).putInt(SegmentFormat.crc(stored));
        put(header.array());
        put(stored);
        blocks++;
        rows += rowsCount;
    }

    long rows() {
        return rows;
    }

    long bytes() {
        return bytes;
    }

    /** Completes the file. */
    Manifest.Segment complete(Manifest.Content content) {
        byte[] count = ByteBuffer.allocate(Integer.BYTES).putInt(blocks).array();
        ByteBuffer end = ByteBuffer.allocate(SegmentFormat.BLOCK_HEADER_BYTES);
        end.putInt(0).putInt(blocks).putInt(SegmentFormat.crc(count));
        put(end.array());
        try {
            out.flush();
        } catch (IOException failed) {
            throw FileProblem.of("cannot write " + name, failed);
        }
        upload.complete();
        String hash = HexFormat.of().formatHex(out.getMessageDigest().digest());
        String file = name.substring(name.lastIndexOf('/') + 1);
        return new Manifest.Segment(file, content, rows, bytes, hash);
    }

    @Override
    public void close() {
        upload.close();
    }
}
