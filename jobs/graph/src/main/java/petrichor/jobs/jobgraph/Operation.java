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
 * The operation of a task on its inputs. Data only: the engine has one driver per kind. User code
 * in it is a serializable lambda, called by one thread per subtask.
 */
public sealed interface Operation extends Serializable {

    /** Number of inputs. */
    int inputs();

    /** Record type of its output, before the chain; null if it has none. */
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

    /** Passes every record to a sink. */
    record Write(Sink sink) implements OfOne {
        @Override
        public @Nullable RecordType output(List<RecordType> inputs) {
            return null;
        }
    }

    /** Passes every record on unchanged: the work is in the chain. */
    record Relay() implements OfOne {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return inputs.getFirst();
        }
    }

    /**
     * One call per group of adjacent records with equal keys. The input is sorted or grouped by
     * key, or keys are unique.
     */
    record SortedReduce(Key key, ReduceCode code, RecordType result) implements OfOne {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return result;
        }
    }

    /**
     * Built-in aggregates in a hash table; the order of the groups is undefined.
     *
     * @param records type of the aggregated records, also in the step that reads partial aggregates
     */
    record HashAggregate(Aggregation aggregation, Aggregation.Step step, RecordType records)
            implements OfOne {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return aggregates(aggregation, step, records);
        }
    }

    /**
     * Built-in aggregates over an input that is sorted or grouped by their key; keeps its order.
     *
     * @param records type of the aggregated records, also in the step that reads partial aggregates
     */
    record SortedAggregate(Aggregation aggregation, Aggregation.Step step, RecordType records)
            implements OfOne {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return aggregates(aggregation, step, records);
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
     * One call per pair with equal keys. Builds a hash table from the build side (with spilling),
     * then probes it with the other side.
     */
    record HashJoin(Key first, Key second, Side build, JoinCode code, RecordType result)
            implements OfTwo {
        @Override
        public RecordType output(List<RecordType> inputs) {
            return result;
        }
    }

    /**
     * One call per pair of records: nested loops. The inner side is buffered (with spilling) and
     * replayed for every record of the outer side or, with {@code blocked}, for every chunk of them
     * that fits into memory. Only without {@code blocked} is the outer side's order kept.
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

    private static RecordType aggregates(
            Aggregation aggregation, Aggregation.Step step, RecordType records) {
        return switch (step) {
            case PARTIAL -> aggregation.partialType(records);
            case WHOLE, FINAL -> aggregation.resultType(records);
        };
    }
}
