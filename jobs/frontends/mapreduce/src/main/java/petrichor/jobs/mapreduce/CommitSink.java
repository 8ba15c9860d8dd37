package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContextImpl;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * The sink of a Hadoop job: sets up, commits and aborts the tasks' output through the job's own
 * output committer, and sums up their counters. Tasks have committed their output before their
 * results arrive here.
 *
 * <p>Each subtask writes its counters to a file, next to the job's uncommitted output, or in
 * Hadoop's folder for temporary files if the output is not a folder.
 */
record CommitSink(HadoopJob job, CompletedJob finished) implements Sink {
    private static final long serialVersionUID = 1L;

    private static final String FOLDER = "_petrichor";

    @Override
    public String name() {
        String folder = job.open().get(FileOutputFormat.OUTDIR);
        return folder == null ? job.name() + " output" : folder;
    }

    @Override
    public void check(RecordType type) {
        if (!type.equals(TaskResult.TYPE)) {
            throw new IllegalArgumentException("task outputs do not include " + type);
        }
    }

    @Override
    public void begin(RecordType type, int subtasks) throws IOException {
        asked(
                (program, context) -> {
                    program.outputFormat().checkOutputSpecs(context);
                    CacheFiles.place(program.configuration(), finished::links);
                    committer(program).setupJob(context);
                });
    }

    @Override
    public Writer open(RecordType type, int subtask) {
        Counters counters = new Counters();
        return new Writer() {
            @Override
            public void write(RecordView record) {
                counters.incrAllCounters(CounterBytes.parse(record.bytes(TaskResult.COUNTED)));
            }

            @Override
            public void finish() throws IOException {
                JobConf configuration = job.open();
                Path file = new Path(folder(configuration), "counted-" + subtask);
                FileSystem files = file.getFileSystem(configuration);
                try (OutputStream out = files.create(file, true)) {
                    out.write(CounterBytes.of(counters));
                }
            }

            @Override
            public void close() {
                // The file was closed after it was written.
            }
        };
    }

    @Override
    public void commit(int subtasks) throws IOException {
        asked(
                (program, context) -> {
                    Counters counters = new Counters();
                    Path folder = folder(program.configuration());
                    FileSystem files = folder.getFileSystem(program.configuration());
                    for (FileStatus each : files.listStatus(folder)) {
                        try (InputStream in = files.open(each.getPath())) {
                            counters.incrAllCounters(CounterBytes.parse(in.readAllBytes()));
                        }
                    }
                    files.delete(folder, true);
                    committer(program).commitJob(context);
                    finished.with(counters);
                    removeCacheFiles(program.configuration());
                });
    }

    @Override
    public JobCounters counted() {
        return finished.asOfAnyJob();
    }

    @Override
    public void abort(int subtasks) throws IOException {
        asked(
                (program, context) -> {
                    Path folder = folder(program.configuration());
                    folder.getFileSystem(program.configuration()).delete(folder, true);
                    committer(program).abortJob(context, JobStatus.State.FAILED);
                    deleteIfEmpty(program.configuration());
                    removeCacheFiles(program.configuration());
                });
    }

    private void removeCacheFiles(JobConf configuration) throws IOException {
        finished.unlink();
        CacheFiles.remove(configuration);
    }

    /** Hadoop does not remove the folder itself, and then refuses the next run. */
    private static void deleteIfEmpty(JobConf configuration) throws IOException {
        String output = configuration.get(FileOutputFormat.OUTDIR);
        if (output != null) {
            Path folder = new Path(output);
            FileSystem files = folder.getFileSystem(configuration);
            if (files.exists(folder) && files.listStatus(folder).length == 0) {
                files.delete(folder, false);
            }
        }
    }

    private Path folder(JobConf configuration) {
        String output = configuration.get(FileOutputFormat.OUTDIR);
        return output == null
                ? new Path(configuration.get("hadoop.tmp.dir"), FOLDER + "-" + job.id())
                : new Path(new Path(output, "_temporary"), FOLDER);
    }

    /** The job's own committer, created as in Hadoop: for a task attempt that never runs. */
    private OutputCommitter committer(Program program) throws IOException, InterruptedException {
        TaskAttemptID id =
                TaskAttemptID.downgrade(
                        new org.apache.hadoop.mapreduce.TaskAttemptID(
                                new TaskID(job.id(), TaskType.MAP, 0), 0));
        TaskAttemptContext context =
                new TaskContext(new Attempt(id, program.configuration(), new TaskReporter()));
        return program.outputFormat().getOutputCommitter(context);
    }

    private interface Question {
        void ask(Program program, JobContext context) throws IOException, InterruptedException;
    }

    private void asked(Question question) throws IOException {
        JobConf configuration = job.open();
        configuration.setInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 0);
        try {
            question.ask(new Program(configuration), new JobContextImpl(configuration, job.id()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted at " + name());
        }
    }
}
