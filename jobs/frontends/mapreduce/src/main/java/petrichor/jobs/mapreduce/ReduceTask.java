package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.util.Objects;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskType;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.ReduceCode;

/**
 * The Reduce contract of a Hadoop job: a group is the whole input of one reduce, in the order of
 * the job's comparator; a reducer is created, set up and run to its end over it. Values are read on
 * demand: a key may have any number of them.
 */
final class ReduceTask implements ReduceCode {
    private static final long serialVersionUID = 1L;

    private final HadoopJob job;
    private final int reduces;
    private transient @Nullable JobConf configuration;

    ReduceTask(HadoopJob job, int reduces) {
        this.job = job;
        this.reduces = reduces;
    }

    @Override
    public void reduce(Group group, Out out) throws Exception {
        JobConf all = configuration;
        if (all == null) {
            all = job.open();
            configuration = all;
        }
        int seat = Objects.requireNonNull(group.key()).int32(MapOutput.SEAT);
        int number = new ReducerPartitioning(reduces).reduce(seat);
        Attempt attempt = Attempt.of(job, all, TaskType.REDUCE, number);
        Counter records = attempt.reporter().getCounter(TaskCounter.REDUCE_INPUT_RECORDS);
        Counters before = new Counters();
        try {
            run(attempt, group, before);
        } catch (Throwable e) {
            throw attempt.failure("record " + records.getValue() + " of its input", e);
        }
        before.incrAllCounters(attempt.reporter().counters());
        TaskResult.emit(before, out);
    }

    private static void run(Attempt attempt, Group group, Counters before)
            throws IOException, InterruptedException {
        Program program = new Program(attempt.configuration());
        KeyEncoding encoding = KeyEncoding.of(program.keys(), program.sorting());
        RawPairs pairs =
                new RawPairs(
                        new Pairs(
                                group,
                                encoding,
                                record -> {
                                    Counters counted = MapOutput.counted(record);
                                    if (counted != null) {
                                        before.incrAllCounters(counted);
                                    }
                                }));
        TaskOutput output = TaskOutput.open(program, attempt, TaskCounter.REDUCE_OUTPUT_RECORDS);
        if (encoding == null) {
            try (ComparatorSort sort = ComparatorSort.of(program)) {
                reduce(program, attempt, sort.sorted(pairs), output);
            }
        } else {
            reduce(program, attempt, pairs, output);
        }
        // A reducer may stop early; drain the rest, which may contain counters.
        while (pairs.next()) {}
        output.commit();
    }

    private static void reduce(
            Program program, Attempt attempt, RawKeyValueIterator pairs, TaskOutput output)
            throws IOException, InterruptedException {
        Reducing reducing =
                new Reducing(
                        program,
                        attempt,
                        pairs,
                        program.grouping(),
                        attempt.reporter(),
                        TaskCounter.REDUCE_INPUT_RECORDS,
                        output.writer(),
                        output.committer());
        if (program.reducesOld()) {
            reducing.runOld(program.oldReducer());
        } else {
            reducing.run(program.reducer());
        }
    }
}
