package petrichor.jobs.channels;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.compression.BlockDecompressor;

/**
 * Decompresses for one reader, and gives its native memory back when {@link #close} is called, by
 * whichever thread, but not while it is in use.
 */
final class BlockOpener implements AutoCloseable {
    private final BlockPool pool;
    private final String what;
    private @Nullable BlockDecompressor decompressor;
    private boolean inUse;
    private boolean closed;

    /**
     * @param what names the channel in failures
     */
    BlockOpener(BlockPool pool, String what) {
        this.pool = pool;
        this.what = what;
    }

    Block open(StoredBlock stored) {
        BlockDecompressor used = begin();
        try {
            return stored.open(used, pool, what);
        } finally {
            end();
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
