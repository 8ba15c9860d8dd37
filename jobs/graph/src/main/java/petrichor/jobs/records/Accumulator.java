package petrichor.jobs.records;

import java.util.StringJoiner;
import petrichor.base.PetrichorException;

/**
 * An {@link Aggregation} bound to its input's type: creates a partial record from the first record
 * of a key, and adds the others in place, so that it can stay where it is in a hash table. Only a
 * minimum or maximum of texts that becomes longer needs a new partial record. Belongs to one
 * thread.
 */
public final class Accumulator {
    private final Aggregation.Step step;
    private final RecordType partialType;
    private final RecordType resultType;
    private final int[] keys;
    private final Aggregate.Kind[] kinds;
    private final boolean[] floating;

    /** Aggregates with texts or bytes as their state. */
    private final boolean[] variable;

    private final boolean anyVariable;
    private final Slice candidate = new Slice();
    private final Slice best = new Slice();

    /** Input field of each aggregate: its own field in records, its state in partial records. */
    private final int[] sources;

    /** Field of each aggregate's state in partial records. */
    private final int[] states;

    private Accumulator(Aggregation aggregation, Aggregation.Step step, RecordType input) {
        boolean merging = step == Aggregation.Step.FINAL;
        this.step = step;
        this.partialType = merging ? input : aggregation.partialType(input);
        this.resultType = aggregation.finalType(partialType);
        int count = aggregation.aggregates().size();
        this.keys = new int[aggregation.keys().size()];
        this.kinds = new Aggregate.Kind[count];
        this.floating = new boolean[count];
        this.variable = new boolean[count];
        this.sources = new int[count];
        this.states = new int[count];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = merging ? i : aggregation.keys().get(i);
        }
        int state = keys.length;
        boolean anyVariable = false;
        for (int i = 0; i < count; i++) {
            Aggregate aggregate = aggregation.aggregates().get(i);
            kinds[i] = aggregate.kind();
            states[i] = state;
            sources[i] = merging ? state : aggregate.field();
            floating[i] =
                    aggregate.kind() != Aggregate.Kind.COUNT
                            && input.type(sources[i]) == FieldType.FLOAT64;
            variable[i] = partialType.type(state).isVariable();
            anyVariable |= variable[i];
            state += kinds[i] == Aggregate.Kind.AVERAGE ? 2 : 1;
        }
        this.anyVariable = anyVariable;
    }

    /**
     * @param input type of the input: of partial records in the final step
     */
    public static Accumulator of(Aggregation aggregation, Aggregation.Step step, RecordType input) {
        return new Accumulator(aggregation, step, input);
    }

    public RecordType partialType() {
        return partialType;
    }

    /** The type of {@link #finish}: of results, or of partial records in the partial step. */
    public RecordType outputType() {
        return step == Aggregation.Step.PARTIAL ? partialType : resultType;
    }

    /** The key's fields in the input of this step. */
    public int[] inputKeys() {
        return keys.clone();
    }

    /** Starts a key: initializes the builder, of the partial type, with this one record. */
    public void begin(RecordView in, RecordBuilder partial) {
        if (step == Aggregation.Step.FINAL) {
            partial.copy(in);
            return;
        }
        partial.start();
        for (int i = 0; i < keys.length; i++) {
            partial.copy(i, in, keys[i]);
        }
        for (int i = 0; i < kinds.length; i++) {
            int source = sources[i];
            switch (kinds[i]) {
                case COUNT -> partial.int64(states[i], 1);
                case MIN, MAX -> partial.copy(states[i], in, source);
                case SUM -> {
                    if (!in.isNull(source)) {
                        if (floating[i]) {
                            partial.float64(states[i], in.float64(source));
                        } else {
                            partial.int64(states[i], in.int64(source));
                        }
                    }
                }
                case AVERAGE -> {
                    if (!in.isNull(source)) {
                        partial.float64(states[i], number(in, source, floating[i]));
                        partial.int64(states[i] + 1, 1);
                    }
                }
            }
        }
    }

    /**
     * Adds a record to the partial record of its key, in place.
     *
     * @return false, without any change, if the partial record is too short for a text: {@link
     *     #grow} makes a longer one
     */
    public boolean add(RecordView in, RecordView partial) {
        if (anyVariable && !fits(in, partial)) {
            return false;
        }
        for (int i = 0; i < kinds.length; i++) {
            int source = sources[i];
            int state = states[i];
            if (kinds[i] == Aggregate.Kind.COUNT) {
                long more = step == Aggregation.Step.FINAL ? in.displayName(source) : 1;
                partial.displayName(state, partial.displayName(state) + more);
            } else if (!in.isNull(source)) {
                if (kinds[i] == Aggregate.Kind.AVERAGE) {
                    addAverage(in, partial, i);
                } else if (variable[i]) {
                    if (improves(i, in, partial)) {
                        partial.overwrite(state, candidate);
                    }
                } else if (partial.isNull(state)) {
                    partial.displayName(state, in.displayName(source));
                    partial.present(state);
                } else {
                    partial.displayName(state, combined(i, in, partial));
                }
            }
        }
        return true;
    }

    /** Writes a partial record and one more record of its key as a new partial record. */
    public void grow(RecordView in, RecordView partial, RecordBuilder into) {
        into.start();
        for (int field = 0; field < partialType.size(); field++) {
            into.copy(field, partial, field);
        }
        for (int i = 0; i < kinds.length; i++) {
            if (variable[i] && improves(i, in, partial)) {
                into.copy(states[i], in, sources[i]);
            }
        }
        if (!add(in, into.finish())) {
            throw new IllegalStateException("a new partial record is too short");
        }
    }

    private boolean fits(RecordView in, RecordView partial) {
        for (int i = 0; i < kinds.length; i++) {
            if (variable[i]
                    && improves(i, in, partial)
                    && (partial.isNull(states[i])
                            || in.variableBytes(sources[i]) > partial.variableBytes(states[i]))) {
                return false;
            }
        }
        return true;
    }

    /** Whether a record has a better text or bytes, which {@link #candidate} then holds. */
    private boolean improves(int i, RecordView in, RecordView partial) {
        if (in.isNull(sources[i])) {
            return false;
        }
        in.slice(sources[i], candidate);
        if (partial.isNull(states[i])) {
            return true;
        }
        int order = candidate.compareBytes(partial.slice(states[i], best));
        return kinds[i] == Aggregate.Kind.MIN ? order < 0 : order > 0;
    }

    private long combined(int i, RecordView in, RecordView partial) {
        try {
            return combined(i, partial.displayName(states[i]), in.displayName(sources[i]));
        } catch (ArithmeticException overflow) {
            StringJoiner key = new StringJoiner(", ", "(", ")");
            for (int field = 0; field < keys.length; field++) {
                key.add(partial.shown(field));
            }
            throw PetrichorException.invalid(
                    "\"{name}\"{key} does not fit into 64 bits: sum FLOAT64 fields instead",
                    "name",
                    partialType.name(states[i]),
                    "key",
                    (keys.length == 0 ? "" : " of the key " + key));
        }
    }

    private long combined(int i, long state, long value) {
        if (!floating[i]) {
            return switch (kinds[i]) {
                case SUM, COUNT, AVERAGE -> Math.addExact(state, value);
                case MIN -> Math.min(state, value);
                case MAX -> Math.max(state, value);
            };
        }
        double a = Double.longBitsToDouble(state);
        double b = Double.longBitsToDouble(value);
        double result =
                switch (kinds[i]) {
                    case SUM, COUNT, AVERAGE -> a + b;
                    case MIN -> Math.min(a, b);
                    case MAX -> Math.max(a, b);
                };
        return Double.doubleToLongBits(result + 0.0);
    }

    private void addAverage(RecordView in, RecordView partial, int i) {
        int state = states[i];
        boolean merging = step == Aggregation.Step.FINAL;
        double more = merging ? in.float64(sources[i]) : number(in, sources[i], floating[i]);
        long count = merging ? in.displayName(sources[i] + 1) : 1;
        double sum = Double.longBitsToDouble(partial.displayName(state)) + more;
        partial.displayName(state, Double.doubleToLongBits(sum));
        partial.present(state);
        partial.displayName(state + 1, partial.displayName(state + 1) + count);
        partial.present(state + 1);
    }

    private static double number(RecordView in, int field, boolean floating) {
        return floating ? in.float64(field) : in.int64(field);
    }

    /** Writes the output of this step for a key; the builder is of {@link #outputType()}. */
    public void finish(RecordView partial, RecordBuilder out) {
        if (step == Aggregation.Step.PARTIAL) {
            out.copy(partial);
            return;
        }
        out.start();
        for (int i = 0; i < keys.length; i++) {
            out.copy(i, partial, i);
        }
        for (int i = 0; i < kinds.length; i++) {
            if (kinds[i] != Aggregate.Kind.AVERAGE) {
                out.copy(keys.length + i, partial, states[i]);
            } else if (!partial.isNull(states[i])) {
                out.float64(
                        keys.length + i, partial.float64(states[i]) / partial.int64(states[i] + 1));
            }
        }
    }
}
