package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.CombineFileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the input of a Hadoop job that reads files: their size, and the number and size of
 * their records from the beginning of one file, read by the job's own input format. Other formats
 * are not sampled, since their splits may come from a database or be generated.
 *
 * @param bytes of all input files
 * @param splits approximate number of splits in Hadoop
 * @param records 0 if none could be read
 * @param recordBytes size of key and value, as serialized between maps and reduces
 */
record InputSample(long bytes, long splits, double records, double recordBytes) {
    /** Limit for the sample of one file; small, so that the plan is made quickly. */
    private static final int SAMPLE_BYTES_MAX = 64 << 10;

    private static final int SAMPLE_RECORDS_MAX = 1_000;

    /** Null if the job reads no files, or they cannot be read: the job will report why. */
    static @Nullable InputSample of(HadoopJob job) {
        try {
            JobConf configuration = job.open();
            Program program = new Program(configuration);
            if (!readsFiles(program)) {
                return null;
            }
            List<FileStatus> files = files(configuration);
            if (files.isEmpty()) {
                return null;
            }
            long bytes = 0;
            long splits = 0;
            FileStatus first = null;
            for (FileStatus file : files) {
                long block = Math.max(1, file.getBlockSize());
                bytes += file.getLen();
                splits += (file.getLen() + block - 1) / block;
                if (first == null && file.getLen() > 0) {
                    first = file;
                }
            }
            if (first == null) {
                return new InputSample(0, 0, 0, 0);
            }
            var sample = new Counted(job, program, first);
            return new InputSample(
                    bytes,
                    splits,
                    (double) sample.records * bytes / Math.max(1, sample.inputBytes),
                    sample.records == 0 ? 0 : (double) sample.bytes / sample.records);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    private static boolean readsFiles(Program program) {
        if (program.mapsOld()) {
            var format = program.configuration().getInputFormat();
            return format instanceof org.apache.hadoop.mapred.FileInputFormat
                    && !(format instanceof org.apache.hadoop.mapred.lib.CombineFileInputFormat);
        }
        InputFormat<Object, Object> format = program.inputFormat();
        return format instanceof FileInputFormat && !(format instanceof CombineFileInputFormat);
    }

    /** Without the files that Hadoop ignores, and without nested folders. */
    private static List<FileStatus> files(JobConf configuration) throws IOException {
        List<FileStatus> files = new ArrayList<>();
        for (Path path : org.apache.hadoop.mapred.FileInputFormat.getInputPaths(configuration)) {
            FileSystem system = path.getFileSystem(configuration);
            FileStatus[] found = system.globStatus(path);
            for (FileStatus each : found == null ? new FileStatus[0] : found) {
                FileStatus[] inside =
                        each.isDirectory()
                                ? system.listStatus(each.getPath(), InputSample::isVisible)
                                : new FileStatus[] {each};
                for (FileStatus file : inside) {
                    if (file.isFile()) {
                        files.add(file);
                    }
                }
            }
        }
        return files;
    }

    private static boolean isVisible(Path path) {
        return !path.getName().startsWith("_") && !path.getName().startsWith(".");
    }

    /** The records at the beginning of a file. */
    private static final class Counted {
        private final DataOutputBuffer written = new DataOutputBuffer();
        private long records;
        private long bytes;
        private long inputBytes;

        Counted(HadoopJob job, Program program, FileStatus file)
                throws IOException, InterruptedException {
            JobConf own = new JobConf(program.configuration());
            own.setClassLoader(program.configuration().getClassLoader());
            if (program.mapsOld()) {
                readOld(own, file);
            } else {
                TaskAttemptID id = new TaskAttemptID(new TaskID(job.id(), TaskType.MAP, 0), 0);
                read(program, new TaskAttemptContextImpl(own, id), file);
            }
        }

        private void read(Program program, TaskAttemptContext context, FileStatus file)
                throws IOException, InterruptedException {
            FileSplit split = new FileSplit(file.getPath(), 0, file.getLen(), new String[0]);
            try (RecordReader<Object, Object> reader =
                    program.inputFormat().createRecordReader(split, context)) {
                reader.initialize(split, context);
                boolean more = reader.nextKeyValue();
                while (more && add(reader.getCurrentKey(), reader.getCurrentValue())) {
                    more = reader.nextKeyValue();
                }
                through(more ? reader.getProgress() : 1, file);
            }
        }

        @SuppressWarnings("unchecked") // its types are known to the program only
        private void readOld(JobConf configuration, FileStatus file) throws IOException {
            var split =
                    new org.apache.hadoop.mapred.FileSplit(
                            file.getPath(), 0, file.getLen(), new String[0]);
            var reader =
                    (org.apache.hadoop.mapred.RecordReader<Object, Object>)
                            configuration
                                    .getInputFormat()
                                    .getRecordReader(split, configuration, Reporter.NULL);
            try {
                Object key = reader.createKey();
                Object value = reader.createValue();
                boolean more = reader.next(key, value);
                while (more && add(key, value)) {
                    more = reader.next(key, value);
                }
                through(more ? reader.getProgress() : 1, file);
            } finally {
                reader.close();
            }
        }

        /** Returns whether the sample needs another record. */
        private boolean add(Object key, Object value) throws IOException {
            written.reset();
            for (Object each : new Object[] {key, value}) {
                if (each instanceof Writable writable) {
                    writable.write(written);
                }
            }
            records++;
            bytes += written.getLength();
            return records < SAMPLE_RECORDS_MAX && bytes < SAMPLE_BYTES_MAX;
        }

        /**
         * Compressed files advance by whole blocks; before the first, records are counted by their
         * own size.
         */
        private void through(float share, FileStatus file) {
            long read = (long) (share * (double) file.getLen());
            inputBytes = Math.min(file.getLen(), read > 0 ? read : bytes);
        }
    }
}
