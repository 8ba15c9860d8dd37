package petrichor.services.blobs.content;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Reads a range of a content's file, a block at a time. */
final class FileReader implements ContentReader {
    private final Path file;
    private final FileChannel channel;
    private final byte[] frame = new byte[Blocks.FRAME_BYTES];
    private final long to;
    private long at;

    FileReader(Path file, FileChannel channel, long from, long to) {
        this.file = file;
        this.channel = channel;
        this.at = from;
        this.to = to;
    }

    @Override
    public byte @Nullable [] next() {
        if (at >= to) {
            return null;
        }
        long block = at / BlobContent.GRANULE_BYTES;
        int length = read(block) - Blocks.CHECKSUM_BYTES;
        int from = (int) (at % BlobContent.GRANULE_BYTES);
        if (length <= from || !Blocks.intact(frame, length)) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "block {block} of {file} is damaged: its checksum is wrong, or it is missing;"
                            + " restore the object from a copy",
                    "block",
                    block,
                    "file",
                    file);
        }
        int until = (int) Math.min(length, to - block * BlobContent.GRANULE_BYTES);
        at += until - from;
        return Arrays.copyOfRange(frame, from, until);
    }

    private int read(long block) {
        ByteBuffer in = ByteBuffer.wrap(frame);
        try {
            long position = Blocks.position(block);
            while (in.hasRemaining()) {
                int more = channel.read(in, position);
                if (more < 0) {
                    break;
                }
                position += more;
            }
        } catch (IOException failed) {
            throw FolderContent.failure("read", file, failed);
        }
        return in.position();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException failed) {
            throw FolderContent.failure("close", file, failed);
        }
    }
}
