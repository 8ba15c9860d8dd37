package petrichor.services.blobs.s3;

import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.content.BlobContent;
import petrichor.services.blobs.content.Blocks;
import petrichor.services.blobs.content.ContentId;
import petrichor.services.blobs.content.ContentWriter;

/** Writes a content chunk by chunk. A chunk that is continued is read and written again. */
final class S3Writer implements ContentWriter {
    private final S3Chunks chunks;
    private final ContentId id;
    private final byte[] chunk = new byte[S3Content.CHUNK_FRAME_BYTES];
    private long number;

    /** Sealed bytes of the chunk, before the block that is being filled. */
    private int sealed;

    private int filled;

    /**
     * @param block number of the first block to write
     */
    S3Writer(S3Chunks chunks, ContentId id, long block) {
        this.chunks = chunks;
        this.id = id;
        this.number = block / S3Content.CHUNK_BLOCKS;
        int kept = (int) (block % S3Content.CHUNK_BLOCKS) * Blocks.FRAME_BYTES;
        if (kept > 0) {
            sealed = chunks.get(id, number, 0, chunk, kept);
        }
        if (sealed < kept) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "the content of an object has fewer bytes than finished; upload it again");
        }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        int at = offset;
        int left = length;
        while (left > 0) {
            int part = Math.min(left, BlobContent.GRANULE_BYTES - filled);
            System.arraycopy(bytes, at, chunk, sealed + filled, part);
            filled += part;
            at += part;
            left -= part;
            if (filled == BlobContent.GRANULE_BYTES) {
                seal();
            }
        }
    }

    private void seal() {
        Blocks.seal(chunk, sealed, filled);
        sealed += filled + Blocks.CHECKSUM_BYTES;
        filled = 0;
        if (sealed == chunk.length) {
            putChunk();
            number++;
            sealed = 0;
        }
    }

    private void putChunk() {
        chunks.put(id, number, chunk, sealed);
    }

    @Override
    public void finish() {
        if (filled > 0) {
            seal();
        }
        if (sealed > 0) {
            putChunk();
        }
    }

    @Override
    public void close() {}
}
