package petrichor.jobs.pact.compiler;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import petrichor.jobs.records.Key;

/** The fields of a key, as a list where their order matters and as a set where it does not. */
final class KeyFields {
    private KeyFields() {}

    static List<Integer> list(Key key) {
        return Arrays.stream(key.fields()).boxed().toList();
    }

    static Set<Integer> set(Key key) {
        return Set.copyOf(list(key));
    }

    static Key key(List<Integer> fields) {
        return Key.of(fields.stream().mapToInt(Integer::intValue).toArray());
    }
}
