package petrichor.movement;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * Reads a file in LevelDB's log format: blocks of 32 KiB with fragments, each with a header of
 * seven bytes (masked CRC-32C of type and data, length, type). A record is one full fragment, or a
 * first, any number of middle, and a last fragment. A damaged file is refused with the offset of
 * the damage; nothing after it is read. Confined to one thread.
 */
final class LogReader implements AutoCloseable {
    static final int BLOCK_BYTES = 32 << 10;
    static final int HEADER_BYTES = 7;
    private static final int RECORD_BYTES_MAX = 64 << 20;
    private static final int CRC_MASK = 0xa282ead8;

    static final int FULL = 1;
    static final int FIRST = 2;
    static final int MIDDLE = 3;
    static final int LAST = 4;

    private final String file;
    private final InputStream in;
    private ByteBuffer block = ByteBuffer.allocate(0).order(ByteOrder.LITTLE_ENDIAN);
    private long blockStart;
    private long nextBlockStart;

    LogReader(String file, InputStream in) {
        this.file = file;
        this.in = in;
    }

    /** The next record, or null at the end of the file. */
    byte @Nullable [] next() {
        ByteArrayOutputStream parts = new ByteArrayOutputStream();
        boolean started = false;
        while (true) {
            if (block.remaining() < HEADER_BYTES && !nextBlock()) {
                if (started) {
                    throw damaged("the file ends in the middle of a record");
                }
                return null;
            }
            if (block.remaining() < HEADER_BYTES) {
                throw damaged("the file ends in the middle of a header");
            }
            int crc = block.getInt();
            int length = block.getShort() & 0xFFFF;
            int type = block.get();
            if (type == 0 && length == 0 && crc == 0) {
                // Zeros up to the end of a block are preallocated space.
                block.position(block.limit());
                continue;
            }
            if (length > block.remaining()) {
                throw damaged("a fragment extends beyond its block");
            }
            byte[] data = new byte[length];
            block.get(data);
            if (masked(type, data, 0, length) != crc) {
                throw damaged("a checksum does not match");
            }
            boolean starts = type == FULL || type == FIRST;
            if (type < FULL || type > LAST || starts == started) {
                throw damaged("a fragment of type " + type + " is out of sequence");
            }
            if (type == FULL) {
                return data;
            }
            started = true;
            parts.writeBytes(data);
            if (parts.size() > RECORD_BYTES_MAX) {
                throw damaged("a record is longer than " + RECORD_BYTES_MAX + " bytes");
            }
            if (type == LAST) {
                return parts.toByteArray();
            }
            assert type == FIRST || type == MIDDLE;
        }
    }

    private boolean nextBlock() {
        try {
            byte[] bytes = in.readNBytes(BLOCK_BYTES);
            blockStart = nextBlockStart;
            nextBlockStart += bytes.length;
            block = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            return bytes.length > 0;
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read " + file, unreadable);
        }
    }

    /** The stored form of a checksum of type and data: rotated, plus a constant. */
    static int masked(int type, byte[] data, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(type);
        crc.update(data, from, length);
        int value = (int) crc.getValue();
        return Integer.rotateRight(value, 15) + CRC_MASK;
    }

    private PetrichorException damaged(String what) {
        long offset = blockStart + block.position();
        return PetrichorException.invalid(
                "{file} is damaged near byte {offset}: {problem}; copy the file again from the"
                        + " export's location",
                "problem",
                what,
                "file",
                file,
                "offset",
                offset);
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException ignored) {
            // All data was read, or a failure was reported.
        }
    }
}
