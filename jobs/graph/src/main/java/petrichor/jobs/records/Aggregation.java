package petrichor.jobs.records;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import petrichor.base.PetrichorException;

/**
 * Grouping by key fields with built-in aggregates. A result record has the key fields first, in the
 * order given here, then one field per aggregate. Without key fields there is one result for all
 * records (none without records).
 *
 * <p>It works in two phases where that saves traffic: records to <em>partial</em> records (where an
 * average is a sum and a count), partial records of all senders to results.
 */
public record Aggregation(List<Integer> keys, List<Aggregate> aggregates) implements Serializable {
    /** The phase that a task executes. */
    public enum Step {
        /** Records in, results out. */
        WHOLE,
        /** Records in, partial records out. A combiner: a key may be emitted more than once. */
        PARTIAL,
        /** Partial records in, results out. */
        FINAL
    }

    public Aggregation {
        keys = List.copyOf(keys);
        aggregates = List.copyOf(aggregates);
        if (aggregates.isEmpty() && keys.isEmpty()) {
            throw PetrichorException.invalid("an aggregation needs key fields or aggregates");
        }
    }

    public static Aggregation by(List<Integer> keys, Aggregate... aggregates) {
        return new Aggregation(keys, List.of(aggregates));
    }

    /** The type of partial records for this input type: results, and counts for averages. */
    public RecordType partialType(RecordType input) {
        return RecordType.of(fields(input, true));
    }

    /** The type of results for inputs of this type. */
    public RecordType resultType(RecordType input) {
        return RecordType.of(fields(input, false));
    }

    private List<Field> fields(RecordType input, boolean partial) {
        List<Field> fields = keyFields(input);
        for (Aggregate aggregate : aggregates) {
            String name = freeName(name(aggregate, input), fields);
            fields.add(new Field(name, stateType(aggregate, input)));
            if (partial && aggregate.kind() == Aggregate.Kind.AVERAGE) {
                fields.add(Field.int64(freeName(name + " of", fields)));
            }
        }
        return fields;
    }

    /** The type of the results for this type of partial records. */
    public RecordType finalType(RecordType partial) {
        List<Field> fields = new ArrayList<>(partial.fields().subList(0, keys.size()));
        int state = keys.size();
        for (Aggregate aggregate : aggregates) {
            fields.add(partial.fields().get(state));
            state += aggregate.kind() == Aggregate.Kind.AVERAGE ? 2 : 1;
        }
        return RecordType.of(fields);
    }

    /** The grouping key of results and partial records: their first fields. */
    public List<Integer> resultKeys() {
        return IntStream.range(0, keys.size()).boxed().toList();
    }

    private List<Field> keyFields(RecordType input) {
        List<Field> fields = new ArrayList<>();
        for (int key : keys) {
            if (key < 0 || key >= input.size()) {
                throw PetrichorException.invalid(
                        "key field {key} is not in {input}", "key", key, "input", input);
            }
            fields.add(input.fields().get(key));
        }
        return fields;
    }

    private static FieldType stateType(Aggregate aggregate, RecordType input) {
        if (aggregate.kind() == Aggregate.Kind.COUNT) {
            return FieldType.INT64;
        }
        if (aggregate.field() < 0 || aggregate.field() >= input.size()) {
            throw PetrichorException.invalid(
                    "field {field} of {kind} is not in {input}",
                    "field",
                    aggregate.field(),
                    "kind",
                    aggregate.kind(),
                    "input",
                    input);
        }
        FieldType type = input.type(aggregate.field());
        boolean ordered =
                aggregate.kind() == Aggregate.Kind.MIN || aggregate.kind() == Aggregate.Kind.MAX;
        if (!ordered && !type.isNumber()) {
            throw PetrichorException.invalid(
                    "{kind} needs a number, but {field} holds {type}; use a Reduce",
                    "kind",
                    aggregate.kind(),
                    "field",
                    input.name(aggregate.field()),
                    "type",
                    type);
        }
        return switch (aggregate.kind()) {
            case COUNT -> FieldType.INT64;
            case MIN, MAX -> type;
            case SUM -> type == FieldType.FLOAT64 ? FieldType.FLOAT64 : FieldType.INT64;
            case AVERAGE -> FieldType.FLOAT64;
        };
    }

    private static String name(Aggregate aggregate, RecordType input) {
        String kind = aggregate.kind().name().toLowerCase(Locale.ROOT);
        return aggregate.field() < 0 ? kind : kind + " " + input.name(aggregate.field());
    }

    private static String freeName(String wanted, List<Field> taken) {
        String name = wanted;
        for (int i = 2; contains(taken, name); i++) {
            name = wanted + " " + i;
        }
        return name;
    }

    private static boolean contains(List<Field> fields, String name) {
        return fields.stream().anyMatch(f -> f.name().equals(name));
    }
}
