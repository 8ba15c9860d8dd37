package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.IntFunction;
import petrichor.jobs.records.Key;

/**
 * The order in which each subtask emits its records: a local property. Records that are sorted by
 * some fields are grouped by each prefix of them.
 */
record LocalOrder(List<Key.Part> parts) {
    static final LocalOrder NONE = new LocalOrder(List.of());

    LocalOrder {
        parts = List.copyOf(parts);
    }

    static LocalOrder by(Key key) {
        return new LocalOrder(key.parts());
    }

    /** Whether records that agree in exactly these fields are adjacent. */
    boolean groups(Set<Integer> fields) {
        return parts.size() >= fields.size()
                && fieldsOf(parts.subList(0, fields.size())).equals(fields);
    }

    /** Whether records are in the order of this key. */
    boolean sorts(Key key) {
        return parts.size() >= key.size() && parts.subList(0, key.size()).equals(key.parts());
    }

    /** The property after fields change their positions or are lost. */
    LocalOrder moved(IntFunction<OptionalInt> place) {
        var kept = new ArrayList<Key.Part>();
        for (var part : parts) {
            var to = place.apply(part.field());
            if (to.isEmpty()) {
                break;
            }
            kept.add(new Key.Part(to.getAsInt(), part.order()));
        }
        return new LocalOrder(kept);
    }

    static Set<Integer> fieldsOf(List<Key.Part> parts) {
        var fields = new HashSet<Integer>();
        parts.forEach(part -> fields.add(part.field()));
        return fields;
    }

    static List<Key.Part> at(List<Key.Part> parts, List<Integer> fields) {
        var moved = new ArrayList<Key.Part>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            moved.add(new Key.Part(fields.get(i), parts.get(i).order()));
        }
        return List.copyOf(moved);
    }
}
