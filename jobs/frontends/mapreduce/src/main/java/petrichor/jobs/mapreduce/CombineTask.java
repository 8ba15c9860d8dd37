package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.util.Objects;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskType;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.ReduceCode;

/**
 * A job's combiner, called with a sender's sorted buffer for one reduce. As in Hadoop it may be
 * called any number of times, or never.
 */
final class CombineTask implements ReduceCode {
    private static final long serialVersionUID = 1L;

    private final HadoopJob job;
    private final int reduces;
    private transient @Nullable Attempt attempt;

    CombineTask(HadoopJob job, int reduces) {
        this.job = job;
        this.reduces = reduces;
    }

    @Override
    public void reduce(Group group, Out out) throws Exception {
        Attempt own = attempt;
        if (own == null) {
            own = Attempt.of(job, job.open(), TaskType.MAP, 0);
            attempt = own;
        }
        Counter records = own.reporter().getCounter(TaskCounter.COMBINE_INPUT_RECORDS);
        try {
            combine(own, group, out);
        } catch (Throwable e) {
            throw own.failure("record " + records.getValue() + " of a combiner", e);
        }
    }

    private static void combine(Attempt own, Group group, Out out)
            throws IOException, InterruptedException {
        int seat = Objects.requireNonNull(group.key()).int32(MapOutput.SEAT);
        Program program = new Program(own.configuration());
        Pairs pairs =
                new Pairs(group, KeyEncoding.of(program.keys(), program.sorting()), out::emit);
        if (!pairs.hasOne()) {
            return;
        }
        PairWriter writer =
                new PairWriter(
                        program,
                        own.reporter().getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS),
                        new TaskReporter().getCounter(TaskCounter.MAP_OUTPUT_BYTES),
                        out);
        Reducing reducing =
                new Reducing(
                        program,
                        own,
                        new RawPairs(pairs),
                        program.combinerGrouping(),
                        new TaskReporter(),
                        TaskCounter.COMBINE_INPUT_RECORDS,
                        new Staying(seat, writer),
                        null);
        var old = program.oldCombiner();
        if (old != null) {
            reducing.runOld(old);
        } else {
            reducing.run(program.combiner());
        }
    }

    /** Counters follow the pairs. */
    @Override
    public void finish(Out out) {
        Attempt own = attempt;
        if (own != null) {
            MapOutput.count(new ReducerPartitioning(reduces).of(0), own.reporter().counters(), out);
        }
    }

    /** The output of the combiner stays with the same reduce, even if it has another key. */
    private static final class Staying extends RecordWriter<Object, Object> {
        private final int seat;
        private final PairWriter pairs;

        Staying(int seat, PairWriter pairs) {
            this.seat = seat;
            this.pairs = pairs;
        }

        @Override
        public void write(Object key, Object value) throws IOException {
            pairs.write(seat, key, value);
        }

        @Override
        public void close(TaskAttemptContext context) {
            // Every pair was emitted already.
        }
    }
}
