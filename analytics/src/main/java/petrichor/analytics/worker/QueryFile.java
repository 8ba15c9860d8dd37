package petrichor.analytics.worker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import petrichor.analytics.Wire;

/**
 * A Parquet file with the rows of one query, in the only folder where DuckDB may write. Deleted
 * when it is closed.
 */
final class QueryFile implements AutoCloseable {
    private static final int PART_BYTES = 256 << 10;

    /** How often the size of a growing file is checked. */
    private static final long WATCH_MS = 100;

    private final Path path;
    private final long bytesMax;
    private volatile boolean tooLarge;

    private QueryFile(Path path, long bytesMax) {
        this.path = path;
        this.bytesMax = bytesMax;
    }

    /** Names the file and creates nothing. */
    static QueryFile create(DuckDatabases.Opened opened) {
        Path folder = DuckDatabases.exports(opened.file());
        return new QueryFile(
                folder.resolve(UUID.randomUUID() + ".parquet"), opened.limits().diskBytes());
    }

    /**
     * The command that writes the file.
     *
     * @param query which DuckDB's parser accepted
     */
    String command(String query) {
        String text = query.strip();
        while (text.endsWith(";")) {
            text = text.substring(0, text.length() - 1).strip();
        }
        // A comment may end the query.
        return "COPY (" + text + "\n) TO '" + literal(path) + "' (FORMAT parquet)";
    }

    static String literal(Path path) {
        return path.toString().replace("'", "''");
    }

    /** Ends the watch of the size. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * @param cancel called if the file grows beyond its limit
     */
    Watch watch(ScheduledExecutorService timer, Runnable cancel) {
        ScheduledFuture<?> checks =
                timer.scheduleWithFixedDelay(
                        () -> check(cancel), WATCH_MS, WATCH_MS, TimeUnit.MILLISECONDS);
        return () -> checks.cancel(false);
    }

    private void check(Runnable cancel) {
        if (!tooLarge && path.toFile().length() > bytesMax) {
            tooLarge = true;
            cancel.run();
        }
    }

    boolean tooLarge() {
        return tooLarge;
    }

    void send(Wire wire) throws IOException {
        byte[] part = new byte[PART_BYTES];
        try (InputStream in = Files.newInputStream(path)) {
            for (int length = in.read(part); length >= 0; length = in.read(part)) {
                wire.out().writeByte(Wire.ROWS);
                wire.putBytes(Arrays.copyOf(part, length));
            }
        }
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(path);
    }
}
