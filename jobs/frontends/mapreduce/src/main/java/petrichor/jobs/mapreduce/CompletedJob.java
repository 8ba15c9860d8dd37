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
 * The state of a job in the process that started it: the files to remove when it has ended, and its
 * counters. A copy in another process stays empty: sinks are committed in the process that started
 * the job. Safe for all threads.
 */
final class CompletedJob implements Serializable {
    private static final long serialVersionUID = 1L;

    private transient volatile @Nullable Counters counters;
    private transient volatile @Nullable List<Path> links;

    void with(Counters all) {
        counters = all;
    }

    /** Adds a link in the working directory, to be removed when the job has ended. */
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

    /** By the names that programs use, not the display names. */
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
