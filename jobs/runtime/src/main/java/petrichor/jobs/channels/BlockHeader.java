package petrichor.jobs.channels;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.compression.Level;

/**
 * The header of a block, or of a part of a long one, in a frame:
 *
 * <pre>
 * byte  0   1  'P' 'B'        the mark
 *       2      2              the version of this form
 *       3      level          how the stored bytes are compressed
 *       4 …  7 raw length     little-endian, 1 to 128 K
 *       8 … 11 stored length  1 to raw length
 *      12 … 15 records        of the block
 *      16 … 19 block length   raw length, or more if this is a part of a block
 *      20 … 23 CRC-32C        of bytes 0 to 19 and the stored bytes
 * </pre>
 *
 * @param level how the stored bytes are compressed
 * @param rawLength the bytes of this part
 * @param storedLength the bytes that follow the header
 * @param records of the block
 * @param blockLength the bytes of the block
 * @param checksum as above
 */
record BlockHeader(
        Level level, int rawLength, int storedLength, int records, int blockLength, int checksum) {
    static final int BYTES = 24;

    private static final int CHECKED_BYTES = 20;
    private static final byte MARK_0 = 'P';
    private static final byte MARK_1 = 'B';
    private static final byte VERSION = 2;
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** A header for the stored bytes at {@code at}, with their checksum. */
    static BlockHeader of(
            Level level, int rawLength, int storedLength, int records, int blockLength) {
        return new BlockHeader(level, rawLength, storedLength, records, blockLength, 0);
    }

    /** Writes the header into the 24 bytes at {@code at}. */
    void write(byte[] to, int at, byte[] stored, int storedAt) {
        to[at] = MARK_0;
        to[at + 1] = MARK_1;
        to[at + 2] = VERSION;
        to[at + 3] = (byte) level.code();
        INT.set(to, at + 4, rawLength);
        INT.set(to, at + 8, storedLength);
        INT.set(to, at + 12, records);
        INT.set(to, at + 16, blockLength);
        INT.set(to, at + 20, checksum(to, at, stored, storedAt, storedLength));
    }

    /**
     * Parses a header and refuses an invalid one before anything is allocated or read for it.
     *
     * @param what names the channel or file in the failure
     */
    static BlockHeader parse(byte[] from, int at, String what) {
        if (from[at] != MARK_0 || from[at + 1] != MARK_1) {
            throw broken(what, "no block starts at the expected position");
        }
        if (from[at + 2] != VERSION) {
            throw broken(what, "a block has format version " + from[at + 2] + ", not " + VERSION);
        }
        if (!Level.known(from[at + 3])) {
            throw broken(what, "a block has the unknown compression " + from[at + 3]);
        }
        Level level = Level.of(from[at + 3]);
        int raw = (int) INT.get(from, at + 4);
        int stored = (int) INT.get(from, at + 8);
        int whole = (int) INT.get(from, at + 16);
        if (raw < 1 || raw > Block.FRAME_BYTES_MAX) {
            throw broken(
                    what,
                    "a block has " + raw + " bytes, outside of 1 to " + Block.FRAME_BYTES_MAX);
        }
        if (stored < 1 || stored > raw || (level == Level.NONE && stored != raw)) {
            throw broken(what, "a block of " + raw + " bytes has the stored length " + stored);
        }
        if (whole < raw || whole > Block.BYTES_MAX) {
            throw broken(what, "a part of " + raw + " bytes exceeds its block of " + whole);
        }
        return new BlockHeader(
                level,
                raw,
                stored,
                (int) INT.get(from, at + 12),
                whole,
                (int) INT.get(from, at + 20));
    }

    /** Refuses stored bytes that do not match the checksum. */
    void check(byte[] header, int at, byte[] stored, int offset, String what) {
        if (checksum(header, at, stored, offset, storedLength) != checksum) {
            throw broken(what, "a block's checksum does not match");
        }
    }

    private static int checksum(
            byte[] header, int at, byte[] stored, int offset, int storedLength) {
        CRC32C crc = new CRC32C();
        crc.update(header, at, CHECKED_BYTES);
        crc.update(stored, offset, storedLength);
        return (int) crc.getValue();
    }

    static PetrichorException broken(String what, String why) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "invalid data in {source}: {problem}",
                "source",
                what,
                "problem",
                why);
    }
}
