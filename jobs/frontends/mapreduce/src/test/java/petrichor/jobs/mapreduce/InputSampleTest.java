package petrichor.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The estimates of a Hadoop job's input follow from its files and their records. */
class InputSampleTest {
    private static final int RECORDS = 20_000;
    private static final String LINE = "twenty bytes a line\n";

    @TempDir Path folder;

    private static @Nullable InputSample sample(Configuration job) {
        return InputSample.of(HadoopJob.of("job", job, new JobID("test", 1)));
    }

    private Job job() throws IOException {
        Job job = Job.getInstance(new Configuration(), "job");
        FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path(folder.toUri()));
        return job;
    }

    @Test
    void linesAreCountedInBothApis() throws IOException {
        Files.writeString(folder.resolve("a"), LINE.repeat(RECORDS));
        Files.writeString(folder.resolve("b"), LINE.repeat(RECORDS));
        Files.writeString(folder.resolve("_passed-over"), LINE.repeat(RECORDS));
        JobConf old = new JobConf(job().getConfiguration());
        old.setMapperClass(org.apache.hadoop.mapred.lib.IdentityMapper.class);
        for (Configuration job : new Configuration[] {job().getConfiguration(), old}) {
            InputSample sample = Objects.requireNonNull(sample(job));
            assertThat(sample.bytes()).isEqualTo(2L * RECORDS * LINE.length());
            assertThat(sample.splits()).isEqualTo(2);
            assertThat(sample.records()).isBetween(1.5 * RECORDS, 2.5 * RECORDS);
            // A number of eight bytes, a length, and the line without its terminator.
            assertThat(sample.recordBytes()).isEqualTo(8 + 1 + LINE.length() - 1.0);
        }
    }

    @Test
    void sequenceAndCompressedFilesAreSampledByTheirOwnReaders() throws IOException {
        Path file = folder.resolve("a.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(LINE.repeat(RECORDS).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        assertThat(Objects.requireNonNull(sample(job().getConfiguration())).recordBytes())
                .isEqualTo(8 + 1 + LINE.length() - 1.0);
        Files.delete(file);
        Job job = job();
        job.setInputFormatClass(SequenceFileInputFormat.class);
        try (SequenceFile.Writer writer =
                SequenceFile.createWriter(
                        job.getConfiguration(),
                        SequenceFile.Writer.file(
                                new org.apache.hadoop.fs.Path(folder.resolve("s").toUri())),
                        SequenceFile.Writer.keyClass(IntWritable.class),
                        SequenceFile.Writer.valueClass(Text.class))) {
            for (int i = 0; i < RECORDS; i++) {
                writer.append(new IntWritable(i), new Text("value"));
            }
        }
        InputSample sample = Objects.requireNonNull(sample(job.getConfiguration()));
        assertThat(sample.records()).isBetween(0.7 * RECORDS, 1.3 * RECORDS);
        assertThat(sample.recordBytes()).isEqualTo(4 + 1 + 5.0);
    }

    @Test
    void missingAndNonFileInputsAreNotEstimated() throws IOException {
        Job missing = Job.getInstance(new Configuration(), "job");
        assertThat(sample(missing.getConfiguration())).isNull();
        Job made = job();
        made.setInputFormatClass(org.apache.hadoop.mapreduce.lib.db.DBInputFormat.class);
        assertThat(sample(made.getConfiguration())).isNull();
        assertThat(sample(job().getConfiguration())).isNull();
        Files.createFile(folder.resolve("empty"));
        InputSample empty = Objects.requireNonNull(sample(job().getConfiguration()));
        assertThat(empty.bytes()).isZero();
    }
}
