package petrichor.jobs.pact;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What user code promises about what it emits: the output contracts. Same-Key and Super-Key are
 * constant fields (all fields of the input's key stay where they were; with Super-Key the key that
 * follows has more); Unique-Key is a set of fields that no two emitted records agree in.
 *
 * @param constants fields that are handed on unchanged
 * @param unique sets of fields of which each tells all emitted records apart
 * @param emitsAtMostOne for a record, group or pair at most one record is emitted
 * @param reads the fields that decide what is emitted, of a filter; null if all may
 */
public record Promises(
        List<Constant> constants,
        Set<Set<Integer>> unique,
        boolean emitsAtMostOne,
        @Nullable Set<Integer> reads) {
    public static final Promises NONE = new Promises(List.of(), Set.of(), false, null);

    public Promises {
        constants = List.copyOf(constants);
        unique = Set.copyOf(unique);
        reads = reads == null ? null : Set.copyOf(reads);
    }

    /** All fields of the only input stay where they are. */
    public static Promises allConstant(int fields) {
        return NONE.withConstants(
                IntStream.range(0, fields)
                        .mapToObj(field -> new Constant(0, field, field))
                        .toList());
    }

    public Promises withConstants(List<Constant> all) {
        return new Promises(all, unique, emitsAtMostOne, reads);
    }

    public Promises with(Constant constant) {
        var more = new ArrayList<>(constants);
        if (!more.contains(constant)) {
            more.add(constant);
        }
        return new Promises(more, unique, emitsAtMostOne, reads);
    }

    public Promises withUnique(Set<Integer> fields) {
        var more = new HashSet<>(unique);
        more.add(Set.copyOf(fields));
        return new Promises(constants, more, emitsAtMostOne, reads);
    }

    public Promises withAtMostOne() {
        return new Promises(constants, unique, true, reads);
    }

    public Promises reading(Set<Integer> fields) {
        return new Promises(constants, unique, emitsAtMostOne, fields);
    }

    /** Where a field of an input is found in what is emitted; the first place of several. */
    public OptionalInt placeOf(int input, int field) {
        return constants.stream()
                .filter(constant -> constant.input() == input && constant.from() == field)
                .mapToInt(Constant::to)
                .findFirst();
    }

    /** Where several fields of an input are found, in their order, if all of them are. */
    public Optional<List<Integer>> placesOf(int input, List<Integer> fields) {
        var places = new ArrayList<Integer>(fields.size());
        for (int field : fields) {
            var place = placeOf(input, field);
            if (place.isEmpty()) {
                return Optional.empty();
            }
            places.add(place.getAsInt());
        }
        return Optional.of(places);
    }

    /** Which field of an input an emitted field is, if it is one. */
    public OptionalInt originOf(int input, int emitted) {
        return constants.stream()
                .filter(constant -> constant.input() == input && constant.to() == emitted)
                .mapToInt(Constant::from)
                .findFirst();
    }
}
