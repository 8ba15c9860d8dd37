package petrichor.server.replication;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where a replica in files is: {@code duckdb:FILE}, or {@code parquet:FOLDER}, {@code
 * parquet:s3://…} or {@code parquet:gs://…}.
 *
 * @param file of DuckDB; with Parquet files, the state from which they are written
 * @param parquet the place of Parquet files; empty if the replica is the DuckDB file itself
 * @param interval between two batches, or between two sets of Parquet files
 */
record FilePlace(Path file, String parquet, Duration interval) {
    private static final String DUCKDB = "duckdb:";
    private static final String PARQUET = "parquet:";
    private static final Duration DUCKDB_INTERVAL = Duration.ofSeconds(1);
    private static final Duration PARQUET_INTERVAL = Duration.ofMinutes(1);
    private static final String STATE = ".petrichor-replica/state.duckdb";

    static boolean isFile(String url) {
        return url.startsWith(DUCKDB) || url.startsWith(PARQUET);
    }

    static boolean isDuckDb(String url) {
        return url.startsWith(DUCKDB);
    }

    /** Whether replicas at both places would write the same files. */
    boolean overlaps(FilePlace other) {
        return file.normalize().equals(other.file.normalize())
                || (!parquet.isEmpty()
                        && parquetPlace(parquet).equals(parquetPlace(other.parquet)));
    }

    /** Without options and slashes at the end. */
    private static String parquetPlace(String place) {
        return place.replaceFirst("\\?.*$", "").replaceFirst("/+$", "");
    }

    /**
     * @param interval null for the default
     * @param state the file of the state; null for a hidden one in the folder
     * @return what is wrong, or the place
     */
    static Parsed parse(String url, @Nullable Duration interval, @Nullable Path state) {
        if (url.startsWith(DUCKDB)) {
            Path file = Path.of(url.substring(DUCKDB.length()));
            if (!file.isAbsolute() || state != null) {
                return new Wrong(
                        "needs an absolute file name in url, such as duckdb:/data/shop.duckdb, and"
                                + " no state-file");
            }
            return new Right(
                    new FilePlace(file, "", interval == null ? DUCKDB_INTERVAL : interval));
        }
        String place = url.substring(PARQUET.length());
        boolean bucket = place.contains("://");
        if (!bucket && !Path.of(place).isAbsolute()) {
            return new Wrong(
                    "needs parquet:/FOLDER, parquet:s3://BUCKET/PREFIX or"
                            + " parquet:gs://BUCKET/PREFIX in url, with an absolute folder");
        }
        if (bucket && state == null) {
            return new Wrong(
                    "needs state-file, a local DuckDB file from which the Parquet files of the"
                            + " bucket are written");
        }
        if (state != null && !state.isAbsolute()) {
            return new Wrong("needs an absolute file name in state-file");
        }
        return new Right(
                new FilePlace(
                        state == null ? Path.of(place).resolve(STATE) : state,
                        place,
                        interval == null ? PARQUET_INTERVAL : interval));
    }

    /** The result of {@link #parse}. */
    sealed interface Parsed {}

    /** A place. */
    record Right(FilePlace place) implements Parsed {}

    /**
     * No place.
     *
     * @param problem after the name of the file
     */
    record Wrong(String problem) implements Parsed {}

    /** For messages. */
    @Override
    public String toString() {
        return parquet.isEmpty() ? DUCKDB + file : PARQUET + parquet;
    }
}
