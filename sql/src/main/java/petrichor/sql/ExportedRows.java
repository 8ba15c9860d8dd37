package petrichor.sql;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a query as a file, in the session's open transaction or in one of its own, which ends
 * when this is closed. Confined to the session's thread.
 */
public final class ExportedRows implements AutoCloseable {
    private final AnalyticsEngine.FileRows file;
    private final Block open;
    private final Runnable ended;
    private final @Nullable Block own;

    /**
     * @param open the transaction, which fails with the query
     * @param own closed with this; null if the transaction is the session's
     */
    ExportedRows(AnalyticsEngine.FileRows file, Block open, Runnable ended, @Nullable Block own) {
        this.file = file;
        this.open = open;
        this.ended = ended;
        this.own = own;
    }

    /** Executes the query; the number of rows. */
    public long start() {
        return inTransaction(file::start);
    }

    /** The next part of the file, which belongs to the caller; empty at the end. */
    public byte[] next() {
        return inTransaction(file::next);
    }

    private <T> T inTransaction(Supplier<T> step) {
        try {
            return step.get();
        } catch (RuntimeException failed) {
            open.fail();
            throw failed;
        }
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
