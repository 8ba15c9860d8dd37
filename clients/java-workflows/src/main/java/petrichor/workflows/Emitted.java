package petrichor.workflows;

import com.google.cloud.datastore.FullEntity;
import com.google.gson.JsonElement;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The output of one turn of a mapper or reducer. Confined to one thread. */
final class Emitted implements Emitter {
    /** Of output; a commit has at most 10 MiB. */
    private static final int BYTES_MAX = 1 << 20;

    private static final int ENTITIES_MAX = 400;
    private static final int ENTITY_BYTES_AT_LEAST = 100;

    private final List<SortedMap<String, List<JsonElement>>> partitions = new ArrayList<>();
    private final List<FullEntity<?>> entities = new ArrayList<>();
    private long bytes;

    /**
     * @param partitions 0 if there is no reducer, or this is its output
     */
    Emitted(int partitions) {
        for (int i = 0; i < partitions; i++) {
            this.partitions.add(new TreeMap<>());
        }
    }

    @Override
    public void emit(String key, Object value) {
        if (partitions.isEmpty()) {
            throw new Abort(
                    "without a reducer behind it, a function stores entities and emits no pairs");
        }
        JsonElement json = Values.encode(value);
        partitions
                .get(Blocks.partition(key, partitions.size()))
                .computeIfAbsent(key, unused -> new ArrayList<>())
                .add(json);
        bytes += Blocks.size(key, json);
    }

    @Override
    public void store(FullEntity<?> entity) {
        entities.add(entity);
        bytes +=
                ENTITY_BYTES_AT_LEAST
                        + entity.getProperties().values().stream()
                                .mapToLong(value -> String.valueOf(value.get()).length())
                                .sum();
    }

    boolean isFull() {
        return bytes >= BYTES_MAX || entities.size() >= ENTITIES_MAX;
    }

    List<FullEntity<?>> entities() {
        return entities;
    }

    List<SortedMap<String, List<JsonElement>>> partitions() {
        return partitions;
    }

    /** The pairs that a combiner makes of these. */
    Emitted combined(Reducer combiner) throws Exception {
        Emitted fewer = new Emitted(partitions.size());
        for (SortedMap<String, List<JsonElement>> pairs : partitions) {
            for (var pair : pairs.entrySet()) {
                combiner.reduce(pair.getKey(), pair.getValue().iterator(), fewer);
            }
        }
        fewer.entities.addAll(entities);
        return fewer;
    }

    long pairs() {
        return partitions.stream().flatMap(pairs -> pairs.values().stream()).mapToLong(List::size).sum();
    }
}
