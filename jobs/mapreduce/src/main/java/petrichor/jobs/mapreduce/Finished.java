package petrichor.jobs.mapreduce;

import java.io.Serializable;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.Counters;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.JobCounters;

/**
 * What is known when a job is committed. A copy in another process knows nothing: sinks are
 * committed where the job was started. Safe for all threads.
 */
final class Finished implements Serializable {
    private static final long serialVersionUID = 1L;

    private transient volatile @Nullable Counters counters;

    void with(Counters all) {
        counters = all;
    }

    @Nullable Counters counters() {
        return counters;
    }

    /** By the names that programs know them by, not by those that Hadoop shows. */
    JobCounters asOfAnyJob() {
        Counters known = counters;
        SortedMap<String, SortedMap<String, Long>> groups = new TreeMap<>();
        if (known != null) {
            for (CounterGroup group : known) {
                SortedMap<String, Long> counted = new TreeMap<>();
                for (Counter each : group) {
                    counted.put(each.getName(), each.getValue());
                }
                groups.put(group.getName(), counted);
            }
        }
        return new JobCounters(groups);
    }
}
