package petrichor.jobs.jobgraph;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counters of a job's user code, by group and name. Immutable.
 *
 * @param groups without empty ones
 */
public record JobCounters(SortedMap<String, SortedMap<String, Long>> groups) {
    public static final JobCounters NONE = new JobCounters(new TreeMap<>());

    public JobCounters {
        SortedMap<String, SortedMap<String, Long>> copy = new TreeMap<>();
        groups.forEach(
                (group, counted) -> {
                    if (!counted.isEmpty()) {
                        copy.put(group, Collections.unmodifiableSortedMap(new TreeMap<>(counted)));
                    }
                });
        groups = Collections.unmodifiableSortedMap(copy);
    }

    public boolean isEmpty() {
        return groups.isEmpty();
    }

    /** The sum of both, by name. */
    public JobCounters plus(JobCounters more) {
        SortedMap<String, SortedMap<String, Long>> sum = new TreeMap<>();
        for (JobCounters each : List.of(this, more)) {
            for (Map.Entry<String, SortedMap<String, Long>> group : each.groups.entrySet()) {
                var into = sum.computeIfAbsent(group.getKey(), _ -> new TreeMap<>());
                group.getValue().forEach((name, count) -> into.merge(name, count, Long::sum));
            }
        }
        return new JobCounters(sum);
    }
}
