package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;

/**
 * The files of a task in the job's output: set up and committed by the job's committer. A map
 * before a reduce may write files, too, in addition to its pairs. A repeated task writes them
 * again; committed files become visible when {@link CommitSink} commits the job. Belongs to one
 * thread.
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

    /** Removes the files of an attempt that died, which had the same names. */
    private static void clear(OutputCommitter committer, TaskContext context) throws IOException {
        Path place =
                switch (committer) {
                    case PathOutputCommitter paths -> paths.getWorkPath();
                    case FileOutputCommitter old -> old.getTaskAttemptPath(context);
                    default -> null; // a class of the program: no assumptions
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
