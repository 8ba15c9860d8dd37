package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;

/**
 * What a task leaves in the job's output, whoever writes it: begun and committed by the job's
 * committer. Also a map before a reduce may leave something, beside its pairs. A task that is
 * repeated writes anew; what was committed is to be seen when {@link CommitSink} commits the job.
 * Belongs to one thread.
 */
final class TaskFiles {
    private final TaskContext context;
    private final OutputFormat<Object, Object> format;
    private final OutputCommitter committer;

    private TaskFiles(
            TaskContext context, OutputFormat<Object, Object> format, OutputCommitter committer) {
        this.context = context;
        this.format = format;
        this.committer = committer;
    }

    static TaskFiles open(Program program, Attempt attempt)
            throws IOException, InterruptedException {
        TaskContext context = new TaskContext(attempt);
        OutputFormat<Object, Object> format = program.outputFormat();
        OutputCommitter committer = format.getOutputCommitter(context);
        clear(committer, context);
        committer.setupTask(context);
        return new TaskFiles(context, format, committer);
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

    TaskContext context() {
        return context;
    }

    OutputFormat<Object, Object> format() {
        return format;
    }

    OutputCommitter committer() {
        return committer;
    }

    void commit() throws IOException {
        if (committer.needsTaskCommit(context)) {
            committer.commitTask(context);
        }
    }
}
