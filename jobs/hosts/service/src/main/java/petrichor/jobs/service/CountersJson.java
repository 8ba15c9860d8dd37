package petrichor.jobs.service;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import petrichor.jobs.jobgraph.JobCounters;

/**
 * What a job's code has counted, as JSON, both ways: {@code "counters"} has an object per group.
 * Stateless.
 */
final class CountersJson {
    private static final String COUNTERS = "counters";

    private CountersJson() {}

    static void add(JsonObject json, JobCounters counters) {
        if (!counters.isEmpty()) {
            JsonObject groups = new JsonObject();
            counters.groups()
                    .forEach(
                            (name, counted) -> {
                                JsonObject group = new JsonObject();
                                counted.forEach(group::addProperty);
                                groups.add(name, group);
                            });
            json.add(COUNTERS, groups);
        }
    }

    /** Of what {@link #add} made. */
    static JobCounters of(JsonObject json) {
        if (!json.has(COUNTERS)) {
            return JobCounters.NONE;
        }
        SortedMap<String, SortedMap<String, Long>> groups = new TreeMap<>();
        for (Map.Entry<String, JsonElement> group : json.getAsJsonObject(COUNTERS).entrySet()) {
            SortedMap<String, Long> counted = new TreeMap<>();
            group.getValue()
                    .getAsJsonObject()
                    .entrySet()
                    .forEach(each -> counted.put(each.getKey(), each.getValue().getAsLong()));
            groups.put(group.getKey(), counted);
        }
        return new JobCounters(groups);
    }
}
