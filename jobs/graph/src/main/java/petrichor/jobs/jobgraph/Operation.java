package petrichor.jobs.jobgraph;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.CoGroupCode;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.ReduceCode;

/**
 * What a task does with its inputs. Data only: the engine has one driver per kind. User code in it
 * is a serializable lambda and is called by one thread per subtask.
 */
public sealed interface Operation extends Serializable {

    /** How many inputs there are. */
    int inputs();

    /** What it emits, before the chain; null if nothing leaves it. */
    @Nullable RecordType output(List<RecordType> inputs);

    /** An operation without inputs. */
    sealed interface OfNone extends Operation {
        @Override
        default int inputs() {
            return 0;
        }
    }

    /** An operation on one input. */
    sealed interface OfOne extends Operation {
        @Override
        default int inputs() {
            return 1;
        }
    }

    /** An operation on two inputs. */
    sealed interface OfTwo extends Operation {
        @Override
        default int inputs() {
            return 2;
        }
    }

    /** Emits the records of a source; its subtasks take split after split. */
    record Read(Source source) implements OfNone {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return source.type();
        }
    }

    /** Gives every record to a sink. */
    record Write(Sink sink) implements OfOne {
        @Override
        public @Nullable RecordType output(List<RecordType> inputs) {
            return null;
        }
    }

    /** Emits every record as it is: what happens, happens in the chain. */
    record Relay() implements OfOne {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return inputs.getFirst();
        }
    }

    /**
     * One call per group of adjacent records with equal keys. The input is sorted or grouped, or
     * every key occurs once.
     */
    record SortedReduce(Key key, ReduceCode code, RecordType result) implements OfOne {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return result;
        }
    }

    /**
     * Ready-made figures in a hash table; the order of the groups is open.
     *
     * @param records what the figures are taken of, also in the step that gets partial records
     */
    record HashAggregate(Aggregation aggregation, Aggregation.Step step, RecordType records)
            implements OfOne {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return figures(aggregation, step, records);
        }
    }

    /**
     * Ready-made figures over an input that is sorted or grouped by their key; keeps its order.
     *
     * @param records what the figures are taken of, also in the step that gets partial records
     */
    record SortedAggregate(Aggregation aggregation, Aggregation.Step step, RecordType records)
            implements OfOne {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return figures(aggregation, step, records);
        }
    }

    /** One call per pair with equal keys; both inputs are sorted by their key. */
    record MergeJoin(Key first, Key second, JoinCode code, RecordType result) implements OfTwo {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return result;
        }
    }

    /**
     * One call per pair with equal keys. The build side goes into a hash table (to disk where
     * memory does not suffice), then the other side is streamed past it.
     */
    record HashJoin(Key first, Key second, Side build, JoinCode code, RecordType result)
            implements OfTwo {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return result;
        }
    }

    /**
     * One call per pair of records: nested loops. The inner side is kept (on disk where memory does
     * not suffice) and read again for every record of the outer side or, {@code blocked}, for every
     * memory-full of them. Only without {@code blocked} is the outer side's order kept.
     */
    record Cross(Side outer, boolean blocked, JoinCode code, RecordType result) implements OfTwo {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return result;
        }
    }

    /** One call per key that occurs in either input; both inputs are sorted by their key. */
    record CoGroup(Key first, Key second, CoGroupCode code, RecordType result) implements OfTwo {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return result;
        }
    }

    private static RecordType figures(
            Aggregation aggregation, Aggregation.Step step, RecordType records) {
        return switch (step) {
            case PARTIAL -> aggregation.partialType(records);
            case WHOLE, FINAL -> aggregation.resultType(records);
        };
    }
}
