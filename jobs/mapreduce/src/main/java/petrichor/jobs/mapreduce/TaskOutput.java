package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;

/**
 * What a map without a reduce, or a reduce, writes by the job's output format: opened, written,
 * closed and committed in Hadoop's order. A task that is repeated writes anew; what was committed
 * is to be seen when {@link CommitSink} commits the job. Belongs to one thread.
 */
final class TaskOutput {
    private final TaskAttemptContext context;
    private final OutputCommitter committer;
    private final RecordWriter<Object, Object> writer;

    private TaskOutput(
            TaskAttemptContext context,
            OutputCommitter committer,
            RecordWriter<Object, Object> writer) {
        this.context = context;
        this.committer = committer;
        this.writer = writer;
    }

    static TaskOutput open(Program program, Attempt attempt, TaskCounter records)
            throws IOException, InterruptedException {
        TaskContext context = new TaskContext(attempt);
        OutputFormat<Object, Object> format = program.outputFormat();
        OutputCommitter committer = format.getOutputCommitter(context);
        clear(committer, context);
        committer.setupTask(context);
        return new TaskOutput(
                context,
                committer,
                new Counting(
                        format.getRecordWriter(context), attempt.reporter().getCounter(records)));
    }

    /** An attempt that died has left its files, whose names are ours now. */
    private static void clear(OutputCommitter committer, TaskContext context) throws IOException {
        Path place =
                switch (committer) {
                    case PathOutputCommitter paths -> paths.getWorkPath();
                    case FileOutputCommitter old -> old.getTaskAttemptPath(context);
                    default -> null; // of the program's own, which knows what it leaves
                };
        if (place != null) {
            FileSystem files = place.getFileSystem(context.getConfiguration());
            if (files.exists(place)) {
                files.delete(place, true);
            }
        }
    }

    OutputCommitter committer() {
        return committer;
    }

    RecordWriter<Object, Object> writer() {
        return writer;
    }

    void commit() throws IOException, InterruptedException {
        writer.close(context);
        if (committer.needsTaskCommit(context)) {
            committer.commitTask(context);
        }
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
