package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** Adapts an output format of the older API, and its committer, to the newer one. */
final class OldOutput extends OutputFormat<Object, Object> {
    private final JobConf configuration;

    OldOutput(JobConf configuration) {
        this.configuration = configuration;
    }

    @Override
    public void checkOutputSpecs(JobContext context) throws IOException {
        configuration.getOutputFormat().checkOutputSpecs(files(), configuration);
    }

    /**
     * Also sets where the task's files are to be written: formats read it from the configuration.
     */
    @Override
    public OutputCommitter getOutputCommitter(TaskAttemptContext context) throws IOException {
        org.apache.hadoop.mapred.OutputCommitter committer = configuration.getOutputCommitter();
        Path output = FileOutputFormat.getOutputPath(configuration);
        if (output != null) {
            Path work =
                    committer instanceof FileOutputCommitter files
                            ? files.getTaskAttemptPath((TaskContext) context)
                            : output;
            configuration.set(JobContext.TASK_OUTPUT_DIR, work.toString());
        }
        return committer;
    }

    @Override
    @SuppressWarnings("unchecked") // its types are known to the program only
    public RecordWriter<Object, Object> getRecordWriter(TaskAttemptContext context)
            throws IOException {
        String name = "part-%05d".formatted(context.getTaskAttemptID().getTaskID().getId());
        Reporter reporter = ((TaskContext) context).reporter();
        org.apache.hadoop.mapred.RecordWriter<Object, Object> writer =
                configuration
                        .getOutputFormat()
                        .getRecordWriter(files(), configuration, name, reporter);
        return new RecordWriter<>() {
            @Override
            public void write(Object key, Object value) throws IOException {
                writer.write(key, value);
            }

            @Override
            public void close(TaskAttemptContext ended) throws IOException {
                writer.close(reporter);
            }
        };
    }

    private FileSystem files() throws IOException {
        return FileSystem.get(configuration);
    }
}
