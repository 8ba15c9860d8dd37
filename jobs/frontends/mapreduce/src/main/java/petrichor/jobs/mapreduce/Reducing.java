package petrichor.jobs.mapreduce;

import java.io.File;
import java.io.IOException;
import java.util.UUID;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Task.CombineValuesIterator;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.reduce.WrappedReducer;
import org.apache.hadoop.mapreduce.task.ReduceContextImpl;
import org.apache.hadoop.util.ReflectionUtils;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a reducer or a combiner: sorted pairs, the grouping comparator, and the
 * output. Runs either API. Belongs to one thread.
 *
 * @param groups counts keys
 * @param records counts pairs
 */
record Reducing(
        Program program,
        Attempt attempt,
        RawKeyValueIterator pairs,
        RawComparator<Object> grouping,
        TaskReporter groups,
        TaskCounter records,
        RecordWriter<Object, Object> writer,
        @Nullable OutputCommitter committer) {

    void run(Reducer<Object, Object, Object, Object> reducer)
            throws IOException, InterruptedException {
        JobConf configuration = attempt.configuration();
        String[] all = configuration.getLocalDirs();
        File own = new File(all[0], "petrichor-" + UUID.randomUUID());
        // Marked values are spilled to files there, whose names are the same in every task.
        configuration.set(MRConfig.LOCAL_DIR, own.toString());
        try {
            reducer.run(
                    new WrappedReducer<Object, Object, Object, Object>()
                            .getReducerContext(context(configuration)));
        } finally {
            configuration.setStrings(MRConfig.LOCAL_DIR, all);
            FileUtil.fullyDelete(own);
        }
    }

    private ReduceContextImpl<Object, Object, Object, Object> context(JobConf configuration)
            throws IOException, InterruptedException {
        return new ReduceContextImpl<>(
                configuration,
                attempt.id(),
                pairs,
                groups.getCounter(TaskCounter.REDUCE_INPUT_GROUPS),
                attempt.reporter().getCounter(records),
                writer,
                committer,
                attempt.reporter(),
                grouping,
                program.keys(),
                program.values());
    }

    /**
     * Runs a reducer of the older API. Unlike in the newer one the key stays the group's first
     * while its values are read.
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // its types are known to the program only
    void runOld(Class<? extends org.apache.hadoop.mapred.Reducer> kind) throws IOException {
        JobConf configuration = attempt.configuration();
        CombineValuesIterator<Object, Object> values =
                new CombineValuesIterator<>(
                        pairs,
                        grouping,
                        program.keys(),
                        program.values(),
                        configuration,
                        attempt.reporter(),
                        attempt.reporter().getCounter(records));
        OutputCollector<Object, Object> collector = OldMap.collector(writer);
        try (org.apache.hadoop.mapred.Reducer<Object, Object, Object, Object> reducer =
                ReflectionUtils.newInstance(kind, configuration)) {
            while (values.more()) {
                groups.getCounter(TaskCounter.REDUCE_INPUT_GROUPS).increment(1);
                reducer.reduce(values.getKey(), values, collector, attempt.reporter());
                values.nextKey();
            }
        }
    }
}
