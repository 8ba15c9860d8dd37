package petrichor.services.search;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the search service.
 *
 * @param folder of the Lucene copies; null for copies in memory
 * @param indexBytesMax size of the documents of an index
 * @param fieldNamesMax names of fields of an index; each costs Lucene memory
 * @param openIndexesMax copies open at once; the longest unused is closed for another
 * @param bufferMegabytes heap per open copy for changes that are not yet written
 * @param openWaitMax how long a call waits for a copy that is built again
 * @param commitPeriod after which changes in a copy are made durable
 * @param idleMax after which an unused copy is closed
 * @param retainedChanges numbered changes kept in rows after copies made them durable, for servers
 *     that become the owner again
 */
public record SearchSettings(
        @Nullable Path folder,
        long indexBytesMax,
        int fieldNamesMax,
        int openIndexesMax,
        double bufferMegabytes,
        Duration openWaitMax,
        Duration commitPeriod,
        Duration idleMax,
        int retainedChanges) {
    public static final long INDEX_BYTES_MAX = 10L << 30;
    public static final int FIELD_NAMES_MAX = 2_000;
    public static final int OPEN_INDEXES_MAX = 32;
    public static final double BUFFER_MEGABYTES = 8;
    public static final Duration OPEN_WAIT_MAX = Duration.ofSeconds(10);
    public static final Duration COMMIT_PERIOD = Duration.ofSeconds(5);
    public static final Duration IDLE_MAX = Duration.ofMinutes(10);
    public static final int RETAINED_CHANGES = 1_000;

    public SearchSettings {
        if (indexBytesMax <= 0 || fieldNamesMax <= 0 || openIndexesMax <= 0) {
            throw new IllegalArgumentException("limits must be positive");
        }
    }

    /**
     * @param folder null for copies in memory
     */
    public static SearchSettings of(@Nullable Path folder) {
        return new SearchSettings(
                folder,
                INDEX_BYTES_MAX,
                FIELD_NAMES_MAX,
                OPEN_INDEXES_MAX,
                BUFFER_MEGABYTES,
                OPEN_WAIT_MAX,
                COMMIT_PERIOD,
                IDLE_MAX,
                RETAINED_CHANGES);
    }

    public SearchSettings withIndexBytesMax(long bytes) {
        return new SearchSettings(
                folder,
                bytes,
                fieldNamesMax,
                openIndexesMax,
                bufferMegabytes,
                openWaitMax,
                commitPeriod,
                idleMax,
                retainedChanges);
    }

    public SearchSettings withOpenIndexesMax(int count) {
        return new SearchSettings(
                folder,
                indexBytesMax,
                fieldNamesMax,
                count,
                bufferMegabytes,
                openWaitMax,
                commitPeriod,
                idleMax,
                retainedChanges);
    }

    public SearchSettings withRetainedChanges(int count) {
        return new SearchSettings(
                folder,
                indexBytesMax,
                fieldNamesMax,
                openIndexesMax,
                bufferMegabytes,
                openWaitMax,
                commitPeriod,
                idleMax,
                count);
    }
}
