package petrichor.services.blobs.content;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The format of a content's file or chunk: blocks of {@link BlobContent#GRANULE_BYTES}, the last
 * one shorter, each followed by its CRC32C in four bytes. A block that a crash or a disk damaged is
 * therefore noticed when it is read.
 */
public final class Blocks {
    public static final int CHECKSUM_BYTES = Integer.BYTES;
    public static final int FRAME_BYTES = BlobContent.GRANULE_BYTES + CHECKSUM_BYTES;

    private Blocks() {}

    static long position(long block) {
        return block * FRAME_BYTES;
    }

    static int checksum(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    /** Appends the checksum to a block at the beginning of a buffer. */
    static void seal(byte[] frame, int length) {
        seal(frame, 0, length);
    }

    /** Appends the checksum to a block in a buffer. */
    public static void seal(byte[] frames, int offset, int length) {
        ByteBuffer.wrap(frames).putInt(offset + length, checksum(frames, offset, length));
    }

    /** Whether the checksum after a block at the beginning of a buffer is that of the block. */
    static boolean intact(byte[] frame, int length) {
        return intact(frame, 0, length);
    }

    /** Whether the checksum after a block in a buffer is that of the block. */
    public static boolean intact(byte[] frames, int offset, int length) {
        return ByteBuffer.wrap(frames).getInt(offset + length) == checksum(frames, offset, length);
    }
}
