package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.Counters;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.JobCounters;

/**
 * What is known of a job where it was started: what to remove when it has ended, and what it has
 * counted. A copy in another process knows nothing: sinks are committed where the job was started.
 * Safe for all threads.
 */
final class Finished implements Serializable {
    private static final long serialVersionUID = 1L;

    private transient volatile @Nullable Counters counters;
    private transient volatile @Nullable List<Path> links;

    void with(Counters all) {
        counters = all;
    }

    /** One more link in the working directory, which is to go when the job has ended. */
    synchronized void links(Path one) {
        List<Path> all = new ArrayList<>(links == null ? List.of() : links);
        all.add(one);
        links = all;
    }

    synchronized void unlink() throws IOException {
        if (links != null) {
            for (Path each : links) {
                Files.deleteIfExists(each);
            }
            links = null;
        }
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
