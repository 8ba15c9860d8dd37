package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** Sends each pair that a map writes to the reduce that the job's partitioner chooses. */
final class PartitioningWriter extends RecordWriter<Object, Object> {
    private final Partitioner<Object, Object> partitioner;
    private final ReducerPartitioning seats;
    private final PairWriter pairs;
    private final int reduces;

    PartitioningWriter(Program program, ReducerPartitioning seats, PairWriter pairs) {
        this.partitioner = program.partitioner();
        this.reduces = program.reduces();
        this.seats = seats;
        this.pairs = pairs;
    }

    @Override
    public void write(Object key, Object value) throws IOException {
        // With one reduce the partitioner is not called: some divide by the number of reduces minus
        // one.
        int reduce = reduces == 1 ? 0 : partitioner.getPartition(key, value, reduces);
        if (reduce < 0 || reduce >= reduces) {
            throw new IOException(
                    partitioner.getClass().getName()
                            + " assigned the key "
                            + key
                            + " to reduce "
                            + reduce
                            + ", outside of 0 to "
                            + (reduces - 1));
        }
        pairs.write(seats.of(reduce), key, value);
    }

    @Override
    public void close(TaskAttemptContext context) {
        // Every pair was emitted already.
    }
}
