package petrichor.jobs.jobgraph;

import java.util.List;
import java.util.function.Consumer;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;

/** Finds keys that do not fit the record types on which they are used. */
final class KeyCheck {
    private final Consumer<String> problem;

    /**
     * @param problem receives the rest of a sentence that starts with the task's name
     */
    KeyCheck(Consumer<String> problem) {
        this.problem = problem;
    }

    /** Checks an operation against its inputs; only if it is valid is its output type known. */
    boolean check(Operation operation, List<RecordType> inputs) {
        return switch (operation) {
            case Operation.SortedReduce reduce -> fits(reduce.key(), inputs.getFirst(), "groups");
            case Operation.HashAggregate(var aggregation, var step, var records) ->
                    fits(aggregation, step, records, inputs.getFirst());
            case Operation.SortedAggregate(var aggregation, var step, var records) ->
                    fits(aggregation, step, records, inputs.getFirst());
            case Operation.MergeJoin join -> fit(join.first(), join.second(), inputs, "joins");
            case Operation.HashJoin join -> fit(join.first(), join.second(), inputs, "joins");
            case Operation.CoGroup group -> fit(group.first(), group.second(), inputs, "co-groups");
            case Operation.Read _, Operation.Write _, Operation.Relay _, Operation.Cross _ -> true;
        };
    }

    /** Checks a step against its input; only if it is valid is its output type known. */
    boolean check(Step step, RecordType input) {
        return switch (step) {
            case Step.Combine(var _, var aggregation) ->
                    fits(aggregation, Aggregation.Step.PARTIAL, input, input);
            case Step.CombineGroups(var _, var _, var order, var _) ->
                    fits(order, input, "combines");
            case Step.Map _, Step.First _ -> true;
        };
    }

    boolean fits(Key key, RecordType type, String does) {
        for (int field : key.fields()) {
            if (field >= type.size()) {
                problem.accept(
                        does
                                + " by field "
                                + field
                                + ", and its records have only "
                                + type.size()
                                + " fields: "
                                + type);
                return false;
            }
        }
        return true;
    }

    private boolean fits(
            Aggregation aggregation, Aggregation.Step step, RecordType records, RecordType input) {
        try {
            aggregation.resultType(records);
            var expected =
                    switch (step) {
                        case WHOLE, PARTIAL -> records;
                        case FINAL -> aggregation.partialType(records);
                    };
            if (!expected.equals(input)) {
                problem.accept("aggregates " + expected + ", but its input is " + input);
                return false;
            }
            return true;
        } catch (PetrichorException refused) {
            problem.accept("cannot aggregate: " + refused.getMessage());
            return false;
        }
    }

    private boolean fit(Key first, Key second, List<RecordType> inputs, String does) {
        if (!fits(first, inputs.get(0), does + " its first input")
                || !fits(second, inputs.get(1), does + " its second input")) {
            return false;
        }
        if (first.size() != second.size()) {
            problem.accept(
                    does + " a key of " + first.size() + " fields with one of " + second.size());
            return false;
        }
        boolean fits = true;
        for (int i = 0; i < first.size(); i++) {
            var a = first.parts().get(i);
            var b = second.parts().get(i);
            if (inputs.get(0).type(a.field()) != inputs.get(1).type(b.field())) {
                problem.accept(
                        does
                                + " "
                                + inputs.get(0).fields().get(a.field())
                                + " with "
                                + inputs.get(1).fields().get(b.field())
                                + ": the fields of both keys must have the same types");
                fits = false;
            }
            if (a.order() != b.order()) {
                problem.accept(does + " an ascending key with a descending one");
                fits = false;
            }
        }
        return fits;
    }
}
