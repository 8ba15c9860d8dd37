package petrichor.jobs.pact;

import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.CoGroupCode;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.ReduceCode;

/** An input contract: how records are grouped for calls of user code, and the user code. */
public sealed interface Contract {

    /** Number of inputs. */
    default int inputs() {
        return 1;
    }

    /** Its name, for people. */
    String displayName();

    /** The records of a source. */
    record Input(Source source) implements Contract {
        @Override
        public int inputs() {
            return 0;
        }

        @Override
        public String displayName() {
            return "Source";
        }
    }

    /** Records kept by an earlier part of the program: an iteration's current or final ones. */
    record Kept(Iteration iteration) implements Contract {
        @Override
        public int inputs() {
            return 0;
        }

        @Override
        public String displayName() {
            return "Kept";
        }
    }

    /** Each record by itself. A filter emits the record itself, or nothing. */
    record Map(MapCode code, boolean filter) implements Contract {
        @Override
        public String displayName() {
            return filter ? "Filter" : "Map";
        }
    }

    /**
     * All records with equal keys. The combiner, if any, may be applied to any part of a group.
     *
     * @param order of the records in a group: the key, then further fields if any
     */
    record Reduce(Key key, Key order, ReduceCode code, @Nullable ReduceCode combiner)
            implements Contract {
        public Reduce {
            if (!order.startsWith(key)) {
                throw PetrichorException.invalid(
                        "records in the order of {order} are not grouped by {key}: an order within"
                                + " groups must start with the group key",
                        "order",
                        order,
                        "key",
                        key);
            }
        }

        /** Whether the order has more fields than the key. */
        public boolean isOrdered() {
            return order.size() > key.size();
        }

        @Override
        public String displayName() {
            return "Reduce";
        }
    }

    /** Built-in aggregates per key; a Reduce that the compiler understands. */
    record Aggregated(Aggregation aggregation) implements Contract {
        @Override
        public String displayName() {
            return "Aggregate";
        }
    }

    /** Each pair of records with equal keys, one from either input. */
    record Match(Key first, Key second, JoinCode code) implements Contract {
        @Override
        public int inputs() {
            return 2;
        }

        @Override
        public String displayName() {
            return "Match";
        }
    }

    /** Each pair of records, one from either input. */
    record Cross(JoinCode code) implements Contract {
        @Override
        public int inputs() {
            return 2;
        }

        @Override
        public String displayName() {
            return "Cross";
        }
    }

    /** All records with equal keys, from both inputs, as two groups. */
    record CoGroup(Key first, Key second, CoGroupCode code) implements Contract {
        @Override
        public int inputs() {
            return 2;
        }

        @Override
        public String displayName() {
            return "CoGroup";
        }
    }

    /** The records of all inputs, which have the same type. */
    record Union(int inputs) implements Contract {
        @Override
        public String displayName() {
            return "Union";
        }
    }

    /** All records in a total order, across all subtasks. */
    record Ordered(Key key) implements Contract {
        @Override
        public String displayName() {
            return "Sort";
        }
    }

    /** The first {@code records}: in the order of the key, or any where there is no key. */
    record First(long records, @Nullable Key key) implements Contract {
        @Override
        public String displayName() {
            return key == null ? "First" : "Smallest";
        }
    }

    /** Writes everything to a sink. */
    record Output(Sink sink) implements Contract {
        @Override
        public String displayName() {
            return "Sink";
        }
    }
}
