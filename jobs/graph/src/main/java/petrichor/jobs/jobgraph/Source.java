package petrichor.jobs.jobgraph;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;

/**
 * The origin of records. A source is data: it is sent to the processes that read its splits. Every
 * record belongs to exactly one split, and a split read again gives the same records in the same
 * order: a failed subtask is repeated from its splits.
 */
public interface Source extends Serializable {

    /** Name for people and failures, e.g. a path. */
    String name();

    RecordType type();

    /** Estimates its size without reading it. */
    default SourceEstimate estimate() {
        return SourceEstimate.UNKNOWN;
    }

    /** Total size of its splits; {@value SourceEstimate#NOT_KNOWN} where that is unknown. */
    default long inputBytes() {
        return SourceEstimate.NOT_KNOWN;
    }

    /**
     * Divides the source into splits that can be read independently. {@code wanted} is a hint: a
     * source may return more or fewer, none if it is empty.
     */
    List<Split> splits(int wanted) throws IOException;

    SplitReader open(Split split) throws IOException;

    /**
     * A part of a source: data that only this source understands.
     *
     * <p>Shown in failures and progress through its {@code toString}.
     */
    interface Split extends Serializable {
        /** Its stored size, compressed or not; 0 where that is unknown. */
        default long bytes() {
            return 0;
        }
    }

    /** Reads one split; belongs to one thread. */
    interface SplitReader extends AutoCloseable {
        /**
         * Emits the next records, a few thousand at most, so that the engine can check between two
         * calls whether the task is to stop.
         *
         * @return whether there may be more
         */
        boolean read(Out out) throws IOException;

        /** Number of the split's {@link Split#bytes} read so far; 0 where that is unknown. */
        default long bytesRead() {
            return 0;
        }

        /**
         * Position of the last emitted record in the split, e.g. "byte 4711", for error messages.
         */
        String position();

        @Override
        void close() throws IOException;
    }
}
