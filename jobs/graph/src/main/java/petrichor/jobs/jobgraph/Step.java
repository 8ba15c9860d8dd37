package petrichor.jobs.jobgraph;

import java.io.Serializable;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.ReduceCode;

/**
 * Processes each record that an operation, or the previous step, emits, by a direct function call.
 */
public sealed interface Step extends Serializable {

    /** Name for people. */
    String name();

    /** Record type of its output. */
    RecordType output(RecordType input);

    /** One call per record, which emits none, one or many. */
    record Map(String name, MapCode code, RecordType result) implements Step {
        @Override
        public RecordType output(RecordType input) {
            return result;
        }
    }

    /**
     * Combiner for built-in aggregates: a bounded hash table that is emitted whenever it is full,
     * and at the end. A key may be emitted several times. Emits partial aggregates.
     */
    record Combine(String name, Aggregation aggregation) implements Step {
        @Override
        public RecordType output(RecordType input) {
            return aggregation.partialType(input);
        }
    }

    /**
     * The user's combiner: collects records, sorts them when the bounded buffer is full and at the
     * end, and calls the function group by group. A key may be emitted several times. Input and
     * output have the same type.
     *
     * @param order by which the buffer is sorted: starts with the key
     */
    record CombineGroups(String name, Key key, Key order, ReduceCode code) implements Step {
        public CombineGroups {
            if (!order.startsWith(key)) {
                throw PetrichorException.invalid(
                        "{name} sorts by {order}, which makes no groups of {key}",
                        "name",
                        name,
                        "order",
                        order,
                        "key",
                        key);
            }
        }

        @Override
        public RecordType output(RecordType input) {
            return input;
        }
    }

    /** Limit: passes the first records only, then terminates early. Counts in this subtask. */
    record First(String name, long records) implements Step {
        public First {
            if (records < 0) {
                throw PetrichorException.invalid(
                        "the number of first records is {records}; it must be 0 or more",
                        "records",
                        records);
            }
        }

        @Override
        public RecordType output(RecordType input) {
            return input;
        }
    }
}
