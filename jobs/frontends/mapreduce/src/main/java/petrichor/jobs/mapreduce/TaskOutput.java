package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskCounter;

/**
 * The output of a map without a reduce, or of a reduce, through the job's output format: opened,
 * written, closed and committed in Hadoop's order. Belongs to one thread.
 */
final class TaskOutput {
    private final TaskFiles files;
    private final RecordWriter<Object, Object> writer;

    private TaskOutput(TaskFiles files, RecordWriter<Object, Object> writer) {
        this.files = files;
        this.writer = writer;
    }

    static TaskOutput open(Program program, Attempt attempt, TaskCounter records)
            throws IOException, InterruptedException {
        TaskFiles files = TaskFiles.open(program, attempt);
        return new TaskOutput(
                files,
                new Counting(
                        files.format().getRecordWriter(files.context()),
                        attempt.reporter().getCounter(records)));
    }

    OutputCommitter committer() {
        return files.committer();
    }

    RecordWriter<Object, Object> writer() {
        return writer;
    }

    void commit() throws IOException, InterruptedException {
        writer.close(files.context());
        files.commit();
    }

    private static final class Counting extends RecordWriter<Object, Object> {
        private final RecordWriter<Object, Object> writer;
        private final Counter records;

        Counting(RecordWriter<Object, Object> writer, Counter records) {
            this.writer = writer;
            this.records = records;
        }

        @Override
        public void write(Object key, Object value) throws IOException, InterruptedException {
            writer.write(key, value);
            records.increment(1);
        }

        @Override
        public void close(TaskAttemptContext context) throws IOException, InterruptedException {
            writer.close(context);
        }
    }
}
