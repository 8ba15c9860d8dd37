package petrichor.jobs.channels;

import petrichor.jobs.channels.compression.BlockDecompressor;
import petrichor.jobs.channels.compression.Level;

/**
 * A block as it travelled.
 *
 * @param header its header
 * @param headerBytes the header's bytes, which the checksum covers
 * @param stored the bytes behind it, in a block of the pool
 */
record StoredBlock(BlockHeader header, byte[] headerBytes, Block stored) {
    int storedBytes() {
        return header.storedLength();
    }

    /** Checks and decompresses; the stored block goes back to its pool or is the outcome. */
    Block open(BlockDecompressor decompressor, BlockPool pool, String what) {
        header.check(headerBytes, 0, stored.bytes(), 0, what);
        if (header.level() == Level.NONE) {
            return stored.length(header.rawLength());
        }
        Block raw = pool.take();
        decompressor.decompress(
                header.level(),
                stored.bytes(),
                0,
                header.storedLength(),
                raw.bytes(),
                header.rawLength());
        stored.release();
        return raw.length(header.rawLength());
    }
}
