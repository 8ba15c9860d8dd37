package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.io.InterruptedIOException;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapRunnable;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Runs a mapper of the older API over a split, through the job's {@code MapRunnable}. Stateless.
 */
final class OldMap {
    private OldMap() {}

    static void run(Attempt attempt, InputSplit split, RecordWriter<Object, Object> writer)
            throws IOException {
        JobConf configuration = attempt.configuration();
        TaskReporter reporter = attempt.reporter();
        if (split instanceof FileSplit file) {
            configuration.set(MRJobConfig.MAP_INPUT_FILE, file.getPath().toString());
            configuration.setLong(MRJobConfig.MAP_INPUT_START, file.getStart());
            configuration.setLong(MRJobConfig.MAP_INPUT_PATH, file.getLength());
        }
        reporter.reads(split);
        try (Counted records =
                new Counted(
                        reader(configuration, split, reporter),
                        reporter.getCounter(TaskCounter.MAP_INPUT_RECORDS))) {
            runner(configuration).run(records, collector(writer), reporter);
        }
    }

    @SuppressWarnings("unchecked") // its types are known to the program only
    private static RecordReader<Object, Object> reader(
            JobConf configuration, InputSplit split, TaskReporter reporter) throws IOException {
        return configuration.getInputFormat().getRecordReader(split, configuration, reporter);
    }

    @SuppressWarnings("unchecked")
    private static MapRunnable<Object, Object, Object, Object> runner(JobConf configuration) {
        return (MapRunnable<Object, Object, Object, Object>)
                ReflectionUtils.newInstance(configuration.getMapRunnerClass(), configuration);
    }

    /** Synchronized: programs of the older API may collect in several threads. */
    static OutputCollector<Object, Object> collector(RecordWriter<Object, Object> writer) {
        return new OutputCollector<>() {
            @Override
            public synchronized void collect(Object key, Object value) throws IOException {
                try {
                    writer.write(key, value);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("interrupted while a pair was written");
                }
            }
        };
    }

    /** Wraps the format's reader, to count records. */
    private record Counted(RecordReader<Object, Object> reader, Counter records)
            implements RecordReader<Object, Object>, AutoCloseable {
        @Override
        public boolean next(Object key, Object value) throws IOException {
            boolean more = reader.next(key, value);
            if (more) {
                records.increment(1);
            }
            return more;
        }

        @Override
        public Object createKey() {
            return reader.createKey();
        }

        @Override
        public Object createValue() {
            return reader.createValue();
        }

        @Override
        public long getPos() throws IOException {
            return reader.getPos();
        }

        @Override
        public float getProgress() throws IOException {
            return reader.getProgress();
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }
}
