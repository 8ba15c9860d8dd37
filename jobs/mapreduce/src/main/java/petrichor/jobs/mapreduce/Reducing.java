package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Task.CombineValuesIterator;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.reduce.WrappedReducer;
import org.apache.hadoop.mapreduce.task.ReduceContextImpl;
import org.apache.hadoop.util.ReflectionUtils;
import org.jspecify.annotations.Nullable;

/**
 * What a reducer or a combiner works on: sorted pairs, what makes them groups, and where its own
 * go. Runs one of either API. Belongs to one thread.
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
        reducer.run(
                new WrappedReducer<Object, Object, Object, Object>()
                        .getReducerContext(
                                new ReduceContextImpl<>(
                                        attempt.configuration(),
                                        attempt.id(),
                                        pairs,
                                        groups.getCounter(TaskCounter.REDUCE_INPUT_GROUPS),
                                        attempt.reporter().getCounter(records),
                                        writer,
                                        committer,
                                        attempt.reporter(),
                                        grouping,
                                        program.keys(),
                                        program.values())));
    }

    /**
     * One of the older API. Unlike in the newer one the key stays the group's first while its
     * values are read.
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // what it reduces is the program's own business
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
