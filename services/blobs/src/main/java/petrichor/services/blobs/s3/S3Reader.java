package petrichor.services.blobs.s3;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.content.BlobContent;
import petrichor.services.blobs.content.Blocks;
import petrichor.services.blobs.content.ContentId;
import petrichor.services.blobs.content.ContentReader;

/** Reads a range of a content: the needed blocks of a chunk in one request. */
final class S3Reader implements ContentReader {
    private final S3Chunks chunks;
    private final ContentId id;
    private final long to;
    private long at;

    /** Blocks of the current chunk, from {@link #firstBlock}. */
    private byte[] frames = new byte[0];

    private int framesLength;
    private long firstBlock = -1;

    S3Reader(S3Chunks chunks, ContentId id, long from, long to) {
        this.chunks = chunks;
        this.id = id;
        this.at = from;
        this.to = to;
    }

    @Override
    public byte @Nullable [] next() {
        if (at >= to) {
            return null;
        }
        long block = at / BlobContent.GRANULE_BYTES;
        if (framesLength == 0 || frame(block) >= framesLength) {
            load(block);
        }
        int start = frame(block);
        int end = Math.min(start + Blocks.FRAME_BYTES, framesLength);
        int length = end - start - Blocks.CHECKSUM_BYTES;
        int from = (int) (at % BlobContent.GRANULE_BYTES);
        if (length <= from || !Blocks.intact(frames, start, length)) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "block {block} of the content of an object is damaged: its checksum is wrong,"
                            + " or it is missing; restore the object from a copy",
                    "block",
                    block);
        }
        int until = (int) Math.min(length, to - block * BlobContent.GRANULE_BYTES);
        at += until - from;
        return Arrays.copyOfRange(frames, start + from, start + until);
    }

    private int frame(long block) {
        return Math.toIntExact((block - firstBlock) * Blocks.FRAME_BYTES);
    }

    /** Requests this block and those after it in its chunk, as far as the range goes. */
    private void load(long block) {
        long last = (to - 1) / BlobContent.GRANULE_BYTES;
        long number = block / S3Content.CHUNK_BLOCKS;
        long end = Math.min(last + 1, (number + 1) * S3Content.CHUNK_BLOCKS);
        int inChunk = (int) (block % S3Content.CHUNK_BLOCKS);
        int wanted = (int) (end - block) * Blocks.FRAME_BYTES;
        if (frames.length < wanted) {
            frames = new byte[wanted];
        }
        framesLength = chunks.get(id, number, (long) inChunk * Blocks.FRAME_BYTES, frames, wanted);
        firstBlock = block;
    }

    @Override
    public void close() {}
}
