package petrichor.jobs.jobgraph;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;

/**
 * Where records come from. A source is data: it is sent to where its splits are read. Every record
 * lies in exactly one split, and a split read again gives the same records in the same order: a
 * failed subtask is repeated from its splits.
 */
public interface Source extends Serializable {

    /** What people and failures call it, e.g. a path. */
    String name();

    RecordType type();

    /** What is known about its size without reading it. */
    default SourceFigures figures() {
        return SourceFigures.UNKNOWN;
    }

    /**
     * How many bytes all its splits have; {@value SourceFigures#NOT_KNOWN} where that is not known.
     */
    default long inputBytes() {
        return SourceFigures.NOT_KNOWN;
    }

    /**
     * Cuts the source into parts that can be read independently. {@code wanted} is a wish: a source
     * may give more or fewer, none if it is empty.
     */
    List<Split> splits(int wanted) throws IOException;

    SplitReader open(Split split) throws IOException;

    /**
     * A part of a source: data that only this source understands.
     *
     * <p>Shown in failures and progress through its {@code toString}.
     */
    interface Split extends Serializable {
        /** Its size where it lies, compressed or not; 0 where that is not known. */
        default long bytes() {
            return 0;
        }
    }

    /** Reads one split; belongs to one thread. */
    interface SplitReader extends AutoCloseable {
        /**
         * Emits the next records, a few thousand at most, so that between two calls the engine can
         * see whether the task is to stop.
         *
         * @return whether there may be more
         */
        boolean read(Out out) throws IOException;

        /**
         * How many of the split's {@link Split#bytes} were read so far; 0 where that is not known.
         */
        default long bytesRead() {
            return 0;
        }

        /**
         * Where in the split the last emitted record stands, e.g. "byte 4711", for failures' texts.
         */
        String position();

        @Override
        void close() throws IOException;
    }
}
