package petrichor.jobs.engine.operators;

import petrichor.jobs.engine.exchange.RecordWriter;
import petrichor.jobs.records.KeyHash;
import petrichor.jobs.records.RecordView;

/** The end of a chain: sends records to the receiving subtasks of an edge. */
public final class ChainOutput implements ChainedOperator {
    /** Chooses receivers. Belongs to one sending subtask. */
    public interface Route {
        void ship(RecordView record, RecordWriter[] receivers);
    }

    private final RecordWriter[] receivers;
    private final Route route;

    public ChainOutput(RecordWriter[] receivers, Route route) {
        this.receivers = receivers;
        this.route = route;
    }

    /** Sends all records to one receiver. */
    public static Route to(int receiver) {
        return (record, receivers) -> receivers[receiver].write(record);
    }

    public static Route byHash(KeyHash hash) {
        return (record, receivers) ->
                receivers[KeyHash.partition(hash.hash(record), receivers.length)].write(record);
    }

    public static Route toAll() {
        return (record, receivers) -> {
            for (RecordWriter receiver : receivers) {
                receiver.write(record);
            }
        };
    }

    /** Round robin; each sender starts at another receiver. */
    public static Route inTurn(int first) {
        return new Route() {
            private int turn = first;

            @Override
            public void ship(RecordView record, RecordWriter[] receivers) {
                turn = turn + 1 >= receivers.length ? 0 : turn + 1;
                receivers[turn].write(record);
            }
        };
    }

    /**
     * Sends each record to one line of a grid of receivers, round robin over {@code lines}. The
     * receivers of line l are l * lineStep + i * step.
     */
    public static Route toLines(int first, int lines, int lineStep, int perLine, int step) {
        return new Route() {
            private int line = first % lines;

            @Override
            public void ship(RecordView record, RecordWriter[] receivers) {
                line = line + 1 == lines ? 0 : line + 1;
                for (int i = 0; i < perLine; i++) {
                    receivers[line * lineStep + i * step].write(record);
                }
            }
        };
    }

    @Override
    public void accept(RecordView record) {
        route.ship(record, receivers);
    }

    @Override
    public boolean isDone() {
        for (RecordWriter receiver : receivers) {
            if (!receiver.isDone()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void finish() {
        RecordWriter.endAll(receivers);
    }

    @Override
    public void close() {
        // Unsent blocks are released with the job.
    }
}
