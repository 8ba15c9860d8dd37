package petrichor.jobs.channels;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.compression.BlockDecompressor;
import petrichor.jobs.channels.compression.Level;

/**
 * Reads spill files in the format used until November 2026, which a resumed job may still have:
 * blocks without frames, each with a header of 16 bytes (magic number, version 1, level, raw
 * length, stored length, CRC-32C) and, within its raw bytes, the record count and the length of the
 * whole block; then an end mark with the number of blocks and a CRC-32C. For one thread.
 */
final class FormerFormat implements AutoCloseable {
    private static final int HEADER_BYTES = 16;
    private static final int CHECKED_BYTES = 12;
    private static final int PREFIX_BYTES = 8;
    private static final int END_MARK = 0x45_50_42_01; // 'E' 'P' 'B' 1

    /** Reads exactly this many bytes from the file, or fails. */
    interface Input {
        void read(byte[] into, int at, int length);
    }

    private final Input input;
    private final BlockPool pool;
    private final String what;
    private final BlockDecompressor decompressor = new BlockDecompressor();
    private final byte[] stored = new byte[Block.FRAME_BYTES_MAX];
    private final byte[] raw = new byte[Block.FRAME_BYTES_MAX];
    private long blocks;

    FormerFormat(Input input, BlockPool pool, String what) {
        this.input = input;
        this.pool = pool;
        this.what = what;
    }

    /** Whether a file, or the next part of it, starts in this format. */
    static boolean isOf(byte[] head) {
        return (head[0] == 'P' && head[1] == 'B' && head[2] == 1)
                || ByteBuffer.wrap(head).getInt() == END_MARK;
    }

    /**
     * @param head the next 16 bytes
     * @return the block that they start, or null at the end
     */
    @Nullable Block next(byte[] head) {
        if (head[0] == 'E') {
            checkEnd(head);
            return null;
        }
        int length = part(head);
        ByteBuffer prefix = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
        int records = prefix.getInt();
        int bytes = prefix.getInt();
        if (bytes < 1 || bytes > Block.BYTES_MAX) {
            throw BlockHeader.broken(what, "it has a block of " + bytes + " bytes");
        }
        Block block = pool.take(bytes);
        block.records = records;
        add(block, length, bytes);
        while (block.length() < bytes) {
            byte[] next = new byte[HEADER_BYTES];
            input.read(next, 0, HEADER_BYTES);
            add(block, part(next), bytes);
        }
        return block;
    }

    private void add(Block block, int length, int bytes) {
        int some = length - PREFIX_BYTES;
        if (some < 1 || some > bytes - block.length()) {
            throw BlockHeader.broken(what, "the parts of a block do not match");
        }
        System.arraycopy(raw, PREFIX_BYTES, block.array, block.end, some);
        block.end += some;
    }

    /** Reads one part and returns its length. */
    private int part(byte[] head) {
        ByteBuffer header = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
        int length = header.getInt(4);
        int storedLength = header.getInt(8);
        if (!isOf(head)
                || !Level.known(head[3])
                || length < 1
                || length > Block.FRAME_BYTES_MAX
                || storedLength < 1
                || storedLength > length) {
            throw BlockHeader.broken(what, "no block starts at the expected position");
        }
        input.read(stored, 0, storedLength);
        CRC32C crc = new CRC32C();
        crc.update(head, 0, CHECKED_BYTES);
        crc.update(stored, 0, storedLength);
        if ((int) crc.getValue() != header.getInt(CHECKED_BYTES)) {
            throw BlockHeader.broken(what, "a block's checksum does not match");
        }
        decompressor.decompress(Level.of(head[3]), stored, 0, storedLength, raw, 0, length);
        blocks++;
        return length;
    }

    private void checkEnd(byte[] mark) {
        ByteBuffer end = ByteBuffer.wrap(mark).order(ByteOrder.LITTLE_ENDIAN);
        CRC32C crc = new CRC32C();
        crc.update(mark, 0, CHECKED_BYTES);
        if (end.getLong(4) != blocks || end.getInt(CHECKED_BYTES) != (int) crc.getValue()) {
            throw BlockHeader.broken(what, "its trailer does not match its " + blocks + " blocks");
        }
    }

    @Override
    public void close() {
        decompressor.close();
    }
}
