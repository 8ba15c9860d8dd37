package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Slice;

/**
 * The pairs of one reduce, decoded from the engine's records: keys and values as serialized. Other
 * records between them are passed on. Belongs to one thread.
 */
final class Pairs implements RawPairs.Origin {
    private final Group records;
    private final @Nullable KeyEncoding encoding;
    private final Others others;
    private final DataOutputBuffer decoded = new DataOutputBuffer();
    private final Slice slice = new Slice();
    private @Nullable RecordView ahead;

    Pairs(Group records, @Nullable KeyEncoding encoding, Others others) {
        this.records = records;
        this.encoding = encoding;
        this.others = others;
    }

    /** Receives a record that is not a pair; it is valid during the call. */
    interface Others {
        void take(RecordView record);
    }

    /** Whether there is a pair at all; to be called before the first. */
    boolean hasOne() {
        ahead = nextPair();
        return ahead != null;
    }

    private @Nullable RecordView nextPair() {
        RecordView record = records.next();
        while (record != null && !MapOutput.isPair(record)) {
            others.take(record);
            record = records.next();
        }
        return record;
    }

    @Override
    public boolean next(DataInputBuffer key, DataInputBuffer value) throws IOException {
        RecordView record = ahead == null ? nextPair() : ahead;
        ahead = null;
        if (record == null) {
            return false;
        }
        record.slice(MapOutput.ORDER, slice);
        if (encoding == null) {
            key.reset(slice.base(), slice.at(), slice.length());
        } else {
            decoded.reset();
            encoding.decode(slice.base(), slice.at(), slice.length(), decoded);
            key.reset(decoded.getData(), decoded.getLength());
        }
        record.slice(MapOutput.VALUE, slice);
        value.reset(slice.base(), slice.at(), slice.length());
        return true;
    }
}
