package petrichor.sql;

import org.jspecify.annotations.Nullable;

/**
 * The rows of a query as a file, in the session's open transaction or in one of its own, which ends
 * when this is closed. Confined to the session's thread.
 */
public final class ExportedRows implements AutoCloseable {
    private final AnalyticsEngine.FileRows file;
    private final Runnable ended;
    private final @Nullable Block own;

    /**
     * @param own closed with this; null if the transaction is the session's
     */
    ExportedRows(AnalyticsEngine.FileRows file, Runnable ended, @Nullable Block own) {
        this.file = file;
        this.ended = ended;
        this.own = own;
    }

    /** Executes the query; the number of rows. */
    public long start() {
        return file.start();
    }

    /** The next part of the file, which belongs to the caller; empty at the end. */
    public byte[] next() {
        return file.next();
    }

    @Override
    public void close() {
        try {
            file.close();
        } finally {
            ended.run();
            Block block = own;
            if (block != null) {
                block.close();
            }
        }
    }
}
