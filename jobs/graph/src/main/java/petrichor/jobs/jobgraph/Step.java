package petrichor.jobs.jobgraph;

import java.io.Serializable;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.ReduceCode;

/**
 * What is done with each record that an operation, or the step before, emits: a function call away.
 */
public sealed interface Step extends Serializable {

    /** What people call it. */
    String name();

    /** What it emits. */
    RecordType output(RecordType input);

    /** One call per record, which emits none, one or many. */
    record Map(String name, MapCode code, RecordType result) implements Step {
        @Override
        public RecordType output(RecordType input) {
            return result;
        }
    }

    /**
     * Ready-made figures over what is in memory: a bounded hash table that is emitted whenever it
     * is full, and at the end. A key may leave several times. Emits partial records.
     */
    record Combine(String name, Aggregation aggregation) implements Step {
        @Override
        public RecordType output(RecordType input) {
            return aggregation.partialType(input);
        }
    }

    /**
     * The user's combiner over what is in memory: records are collected, sorted when the bounded
     * buffer is full and at the end, and given to the function group by group. A key may leave
     * several times. What leaves has the type of what comes in.
     *
     * @param order by which the buffer is sorted: begins with the key
     */
    record CombineGroups(String name, Key key, Key order, ReduceCode code) implements Step {
        public CombineGroups {
            if (!order.startsWith(key)) {
                throw PetrichorException.invalid(
                        name + " sorts by " + order + ", which makes no groups of " + key);
            }
        }

        @Override
        public RecordType output(RecordType input) {
            return input;
        }
    }

    /** The first records only, then "enough" goes upstream. Counts in this subtask. */
    record First(String name, long records) implements Step {
        public First {
            if (records < 0) {
                throw PetrichorException.invalid(
                        "the number of first records is " + records + "; it must be 0 or more");
            }
        }

        @Override
        public RecordType output(RecordType input) {
            return input;
        }
    }
}
