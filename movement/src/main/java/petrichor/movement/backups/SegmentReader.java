package petrichor.movement.backups;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.DigestInputStream;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * Reads a file of rows and verifies every block; at its end, also the number of rows, the size and
 * the hash that the manifest states. FAILED_PRECONDITION, with the file, if it is damaged. Confined
 * to one thread.
 */
final class SegmentReader implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 18;

    private final String name;
    private final Manifest.Segment expected;
    private final DataInputStream in;
    private final DigestInputStream digest;
    private final @Nullable SecretKey key;
    private int blocks;
    private long rows;
    private long bytes;

    SegmentReader(
            BackupTarget target,
            String name,
            Manifest.Segment expected,
            @Nullable BackupKey backupKey) {
        this.name = name;
        this.expected = expected;
        this.digest =
                new DigestInputStream(
                        new BufferedInputStream(target.read(name), BUFFER_BYTES),
                        SegmentFormat.sha256());
        this.in = new DataInputStream(digest);
        byte[] header = take(SegmentFormat.HEADER_BYTES);
        int magic = SegmentFormat.MAGIC.length;
        if (!Arrays.equals(header, 0, magic, SegmentFormat.MAGIC, 0, magic)) {
            throw damaged("it does not start like a file of a backup");
        }
        boolean encrypted = header[magic] == 1;
        if (encrypted && backupKey == null) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The backup is encrypted; name its key with --key-file.");
        }
        this.key =
                encrypted && backupKey != null
                        ? backupKey.forFile(Arrays.copyOfRange(header, magic + 1, header.length))
                        : null;
    }

    private byte[] take(int length) {
        try {
            byte[] some = new byte[length];
            in.readFully(some);
            bytes += length;
            return some;
        } catch (EOFException truncated) {
            throw damaged("it is truncated");
        } catch (IOException failed) {
            throw FileProblem.of("cannot read " + name, failed);
        }
    }

    /** The rows of the next block; null at the end of the file. */
    @Nullable List<BackupRow> next() {
        ByteBuffer header = ByteBuffer.wrap(take(SegmentFormat.BLOCK_HEADER_BYTES));
        int length = header.getInt();
        int plain = header.getInt();
        int crc = header.getInt();
        if (length == 0) {
            requireEnd(plain, crc);
            return null;
        }
        if (length < 0
                || length > SegmentFormat.BLOCK_BYTES_MAX
                || plain < 0
                || plain > SegmentFormat.BLOCK_BYTES_MAX
                || bytes + length > expected.bytes()) {
            throw damaged("the header of a block is invalid");
        }
        byte[] stored = take(length);
        if (SegmentFormat.crc(stored) != crc) {
            throw damaged("the checksum of a block differs");
        }
        List<BackupRow> some = RowBlock.decode(ByteBuffer.wrap(plain(stored, plain)));
        blocks++;
        rows += some.size();
        return some;
    }

    private byte[] plain(byte[] stored, int length) {
        byte[] compressed = stored;
        if (key != null) {
            try {
                compressed = SegmentFormat.cipher(Cipher.DECRYPT_MODE, key, blocks).doFinal(stored);
            } catch (GeneralSecurityException wrong) {
                throw damaged("a block cannot be decrypted; the key may be another one");
            }
        }
        try {
            byte[] plain = Zstd.decompress(compressed, length);
            if (plain.length == length) {
                return plain;
            }
        } catch (ZstdException malformed) {
            throw damaged("a block cannot be decompressed");
        }
        throw damaged("a block has another length than its header states");
    }

    private void requireEnd(int count, int crc) {
        byte[] encoded = ByteBuffer.allocate(Integer.BYTES).putInt(count).array();
        if (count != blocks || SegmentFormat.crc(encoded) != crc) {
            throw damaged("its number of blocks differs");
        }
        try {
            if (in.read() != -1) {
                throw damaged("it continues after its end");
            }
        } catch (IOException failed) {
            throw FileProblem.of("cannot read " + name, failed);
        }
        if (rows != expected.rows() || bytes != expected.bytes()) {
            throw damaged("it has another number of rows than the manifest states");
        }
        String hash = HexFormat.of().formatHex(digest.getMessageDigest().digest());
        if (!hash.equals(expected.sha256())) {
            throw damaged("its hash differs from the manifest");
        }
    }

    private PetrichorException damaged(String how) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "The backup is damaged: {file}: {reason}.",
                "file",
                name,
                "reason",
                how);
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException failed) {
            throw FileProblem.of("cannot read " + name, failed);
        }
    }
}
