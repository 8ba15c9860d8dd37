package petrichor.jobs.oracle;

import org.apache.flink.api.common.io.GenericInputFormat;
import org.apache.flink.api.common.io.statistics.BaseStatistics;

/** A source that only reports its size: nothing is ever read from it. */
final class SizedInput<T> extends GenericInputFormat<T> {
    private static final long serialVersionUID = 1L;

    private final long records;
    private final long bytes;

    SizedInput(long records, long bytes) {
        this.records = records;
        this.bytes = bytes;
    }

    @Override
    public BaseStatistics getStatistics(BaseStatistics cached) {
        return new BaseStatistics() {
            @Override
            public long getTotalInputSize() {
                return bytes;
            }

            @Override
            public long getNumberOfRecords() {
                return records;
            }

            @Override
            public float getAverageRecordWidth() {
                return (float) bytes / records;
            }
        };
    }

    @Override
    public boolean reachedEnd() {
        return true;
    }

    @Override
    public T nextRecord(T reuse) {
        throw new UnsupportedOperationException("nothing is read");
    }
}
