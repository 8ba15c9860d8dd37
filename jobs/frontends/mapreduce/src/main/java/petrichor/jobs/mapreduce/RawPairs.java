package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/** A sequence of pairs, as Hadoop's own contexts read them. Belongs to one thread. */
final class RawPairs implements RawKeyValueIterator {
    /** DependencyInstaller the pairs. */
    interface Origin {
        /**
         * Sets both buffers to the next pair, serialized; false after the last. Its bytes are valid
         * until the next call.
         */
        boolean next(DataInputBuffer key, DataInputBuffer value) throws IOException;
    }

    private final Origin origin;
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private final Progress progress = new Progress();

    RawPairs(Origin origin) {
        this.origin = origin;
    }

    @Override
    public boolean next() throws IOException {
        return origin.next(key, value);
    }

    @Override
    public DataInputBuffer getKey() {
        return key;
    }

    @Override
    public DataInputBuffer getValue() {
        return value;
    }

    @Override
    public void close() {
        // The origin is closed by its owner.
    }

    @Override
    public Progress getProgress() {
        return progress;
    }
}
