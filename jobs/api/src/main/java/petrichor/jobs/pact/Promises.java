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
 * The promises of user code about its output: the output contracts. Same-Key and Super-Key are
 * constant fields (all fields of the input's key keep their positions; with Super-Key the key of a
 * later contract has more fields); Unique-Key is a set of fields in which no two emitted records
 * agree.
 *
 * @param constants fields that are passed on unchanged
 * @param unique sets of fields that each identify an emitted record
 * @param emitsAtMostOne whether at most one record is emitted for each record, group or pair
 * @param reads for a filter, the fields that its predicate reads; null if it may read all
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

    /** All fields of the only input keep their positions. */
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

    /** The position of an input's field in the output; the first of several. */
    public OptionalInt placeOf(int input, int field) {
        return constants.stream()
                .filter(constant -> constant.input() == input && constant.from() == field)
                .mapToInt(Constant::to)
                .findFirst();
    }

    /**
     * The positions of several fields of an input, in their order, if all of them are in the
     * output.
     */
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

    /** The input field from which an output field was copied, if it was. */
    public OptionalInt originOf(int input, int emitted) {
        return constants.stream()
                .filter(constant -> constant.input() == input && constant.to() == emitted)
                .mapToInt(Constant::from)
                .findFirst();
    }
}
