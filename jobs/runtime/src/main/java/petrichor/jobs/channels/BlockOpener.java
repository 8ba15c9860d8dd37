package petrichor.jobs.channels;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.compression.BlockDecompressor;
import petrichor.jobs.channels.compression.Level;

/**
 * Verifies and decompresses the blocks received through one channel, and reassembles long blocks.
 * One reader at a time; {@link #close} frees native memory, on any thread, but not while it is in
 * use.
 */
final class BlockOpener implements AutoCloseable {
    private final BlockPool pool;
    private final String what;
    private @Nullable BlockDecompressor decompressor;
    private @Nullable Block parts;
    private int partsLength;
    private int rawLength;
    private boolean inUse;
    private boolean closed;

    /**
     * @param what names the channel in failures
     */
    BlockOpener(BlockPool pool, String what) {
        this.pool = pool;
        this.what = what;
    }

    /**
     * Takes ownership of a packed block and returns the decoded one, or null if parts of it are
     * missing.
     */
    @Nullable Block open(Block packed) {
        BlockDecompressor used = begin();
        try {
            BlockHeader header = BlockHeader.parse(packed.array, packed.begin, what);
            int stored = packed.begin + BlockHeader.BYTES;
            if (header.storedLength() != packed.end - stored) {
                throw BlockHeader.broken(what, "the two lengths of a block differ");
            }
            rawLength = header.rawLength();
            header.check(packed.array, packed.begin, packed.array, stored, what);
            if (header.blockLength() > header.rawLength() || parts != null) {
                return part(header, packed, stored, used);
            }
            if (header.level() == Level.NONE) {
                return packed.unpack(header.records());
            }
            Block block = pool.take(header.rawLength());
            decompress(header, packed, stored, block, used);
            return block;
        } finally {
            end();
        }
    }

    private @Nullable Block part(
            BlockHeader header, Block packed, int stored, BlockDecompressor used) {
        Block whole = parts;
        if (whole == null) {
            whole = pool.take(header.blockLength());
            whole.records = header.records();
            parts = whole;
            partsLength = header.blockLength();
        }
        int missing = partsLength - whole.length();
        if (header.blockLength() != partsLength
                || header.records() != whole.records
                || header.rawLength() > missing) {
            throw BlockHeader.broken(what, "the parts of a block do not match");
        }
        decompress(header, packed, stored, whole, used);
        if (header.rawLength() < missing) {
            return null;
        }
        parts = null;
        return whole;
    }

    /** Appends the part to a block and returns its own buffer to the pool. */
    private void decompress(
            BlockHeader header, Block packed, int stored, Block to, BlockDecompressor used) {
        used.decompress(
                header.level(),
                packed.array,
                stored,
                header.storedLength(),
                to.array,
                to.end,
                header.rawLength());
        to.end += header.rawLength();
        to.records = header.records();
        pool.give(packed);
    }

    /** Uncompressed length of the newest packed block. */
    int rawLength() {
        return rawLength;
    }

    /** Verifies at the end of the stream that no part of a block is missing. */
    void checkWhole() {
        if (parts != null) {
            throw BlockHeader.broken(what, "it ended within a block");
        }
    }

    private synchronized BlockDecompressor begin() {
        if (decompressor == null) {
            decompressor = new BlockDecompressor();
        }
        inUse = true;
        return decompressor;
    }

    private synchronized void end() {
        inUse = false;
        if (closed) {
            free();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (!inUse) {
            free();
        }
    }

    private synchronized void free() {
        if (decompressor != null) {
            decompressor.close();
            decompressor = null;
        }
    }
}
