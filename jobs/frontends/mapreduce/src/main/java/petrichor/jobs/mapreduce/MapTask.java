package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.MapContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.map.WrappedMapper;
import org.apache.hadoop.mapreduce.task.MapContextImpl;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordView;

/**
 * The Map contract of a Hadoop job: a record is a split, and for each a mapper is created, set up
 * and run to its end, like a map task in Hadoop. Without reduces, pairs go to the output format.
 */
final class MapTask implements MapCode {
    private static final long serialVersionUID = 1L;

    private final HadoopJob job;
    private final int reduces;
    private transient @Nullable JobConf configuration;

    MapTask(HadoopJob job, int reduces) {
        this.job = job;
        this.reduces = reduces;
    }

    @Override
    public void map(RecordView in, Out out) throws Exception {
        int number = in.int32(SplitSource.NUMBER);
        if (number == SplitSource.CALL) {
            callReduces(out);
            return;
        }
        JobConf all = configuration;
        if (all == null) {
            all = job.open();
            configuration = all;
        }
        Attempt attempt = Attempt.of(job, all, TaskType.MAP, number);
        Counter records = attempt.reporter().getCounter(TaskCounter.MAP_INPUT_RECORDS);
        try {
            run(attempt, in, out);
        } catch (Throwable e) {
            throw attempt.failure(
                    "record " + records.getValue() + " of " + in.text(SplitSource.SHOWN), e);
        }
    }

    /** Every reduce runs, even if no map has a pair for it. */
    private void callReduces(Out out) {
        ReducerPartitioning seats = new ReducerPartitioning(reduces);
        for (int reduce = 0; reduce < reduces; reduce++) {
            MapOutput.call(seats.of(reduce), out);
        }
    }

    private void run(Attempt attempt, RecordView in, Out out)
            throws IOException, InterruptedException {
        Program program = new Program(attempt.configuration());
        InputSplit split = program.split(in.text(SplitSource.KIND), in.bytes(SplitSource.BYTES));
        if (split instanceof FileSplit file) {
            attempt.configuration().set(MRJobConfig.MAP_INPUT_FILE, file.getPath().toString());
            attempt.configuration().setLong(MRJobConfig.MAP_INPUT_START, file.getStart());
            attempt.configuration().setLong(MRJobConfig.MAP_INPUT_PATH, file.getLength());
        }
        TaskCounter counted = TaskCounter.MAP_OUTPUT_RECORDS;
        if (reduces == 0) {
            TaskOutput output = TaskOutput.open(program, attempt, counted);
            read(program, attempt, split, output.writer(), output.committer());
            output.commit();
            TaskResult.emit(attempt.reporter().counters(), out);
        } else {
            ReducerPartitioning seats = new ReducerPartitioning(reduces);
            PairWriter pairs =
                    new PairWriter(
                            program,
                            attempt.reporter().getCounter(counted),
                            attempt.reporter().getCounter(TaskCounter.MAP_OUTPUT_BYTES),
                            out);
            TaskFiles files = TaskFiles.open(program, attempt);
            read(
                    program,
                    attempt,
                    split,
                    new PartitioningWriter(program, seats, pairs),
                    files.committer());
            files.commit();
            MapOutput.count(seats.of(0), attempt.reporter().counters(), out);
        }
    }

    private static void read(
            Program program,
            Attempt attempt,
            InputSplit split,
            RecordWriter<Object, Object> writer,
            OutputCommitter committer)
            throws IOException, InterruptedException {
        if (split instanceof OldSplit old) {
            OldMap.run(attempt, old.split(), writer);
            return;
        }
        try (Reading reading =
                new Reading(
                        program.inputFormat().createRecordReader(split, new TaskContext(attempt)),
                        attempt.reporter().getCounter(TaskCounter.MAP_INPUT_RECORDS))) {
            MapContext<Object, Object, Object, Object> context =
                    new MapContextImpl<>(
                            attempt.configuration(),
                            attempt.id(),
                            reading,
                            writer,
                            committer,
                            attempt.reporter(),
                            split);
            reading.initialize(split, context);
            program.mapper()
                    .run(
                            new WrappedMapper<Object, Object, Object, Object>()
                                    .getMapContext(context));
        }
    }

    /** Wraps the format's reader, to count records. */
    private static final class Reading extends RecordReader<Object, Object> {
        private final RecordReader<Object, Object> reader;
        private final Counter records;

        Reading(RecordReader<Object, Object> reader, Counter records) {
            this.reader = reader;
            this.records = records;
        }

        @Override
        public void initialize(InputSplit split, TaskAttemptContext context)
                throws IOException, InterruptedException {
            reader.initialize(split, context);
        }

        @Override
        public boolean nextKeyValue() throws IOException, InterruptedException {
            boolean more = reader.nextKeyValue();
            if (more) {
                records.increment(1);
            }
            return more;
        }

        @Override
        public Object getCurrentKey() throws IOException, InterruptedException {
            return reader.getCurrentKey();
        }

        @Override
        public Object getCurrentValue() throws IOException, InterruptedException {
            return reader.getCurrentValue();
        }

        @Override
        public float getProgress() throws IOException, InterruptedException {
            return reader.getProgress();
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }
}
