package petrichor.sql;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.tables.CatalogImage;
import petrichor.transactions.Database;

/**
 * Executes queries over a version of a database with an engine for large scans, instead of the one
 * for transactions. Thread-safe. Failures are {@link SqlException}.
 */
public interface AnalyticsEngine {
    /**
     * A query, or EXPLAIN of one.
     *
     * @param version that it reads, in microseconds since 1970
     * @param words of the text: keywords in upper case, quotes kept
     */
    record Query(
            Database database,
            long version,
            CatalogImage catalog,
            String text,
            List<String> words,
            List<@Nullable Object> parameters,
            Settings settings) {}

    /**
     * Settings of the session.
     *
     * @param timeout zero for none
     */
    record Settings(ZoneId zone, List<String> searchPath, Duration timeout) {
        public Settings {
            searchPath = List.copyOf(searchPath);
        }
    }

    /** Does nothing before {@link Execution#start}. */
    Execution execution(Query query);

    /** The rows of a query as a Parquet file. Does nothing before {@link FileRows#start}. */
    FileRows export(Query query);

    /** The columns of the result; the values of parameters need not be known. */
    List<ResultColumn> describe(Query query);

    /** Whether a query reads so much that this engine is expected to be faster. */
    boolean suits(Query query);

    /** Its rows follow {@link #start}. Confined to one thread, except {@link #cancel}. */
    interface Execution extends RowIterator {
        /** Executes the query up to its first rows. */
        List<ResultColumn> start();

        /** From any thread: the execution fails with 57014, at any time. */
        void cancel();
    }

    /** A file with the rows of a query. Confined to one thread, except {@link #cancel}. */
    interface FileRows extends AutoCloseable {
        /** Executes the query; the number of rows. */
        long start();

        /** The next part of the file, which belongs to the caller; empty at the end. */
        byte[] next();

        /** From any thread: the execution fails with 57014, at any time. */
        void cancel();

        @Override
        void close();
    }
}
