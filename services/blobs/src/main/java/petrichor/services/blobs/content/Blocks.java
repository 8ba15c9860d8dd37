package petrichor.services.blobs.content;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The format of a content's file: blocks of {@link BlobContent#GRANULE_BYTES}, the last one
 * shorter, each followed by its CRC32C in four bytes. A block that a crash or a disk damaged is
 * therefore noticed when it is read.
 */
final class Blocks {
    static final int CHECKSUM_BYTES = Integer.BYTES;
    static final int FRAME_BYTES = BlobContent.GRANULE_BYTES + CHECKSUM_BYTES;

    private Blocks() {}

    static long position(long block) {
        return block * FRAME_BYTES;
    }

    static int checksum(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    /** Appends the checksum to a block in a buffer. */
    static void seal(byte[] frame, int length) {
        ByteBuffer.wrap(frame).putInt(length, checksum(frame, 0, length));
    }

    /** Whether the checksum after a block is that of the block. */
    static boolean intact(byte[] frame, int length) {
        return ByteBuffer.wrap(frame).getInt(length) == checksum(frame, 0, length);
    }
}
