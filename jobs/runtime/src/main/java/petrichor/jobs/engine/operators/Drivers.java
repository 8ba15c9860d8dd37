package petrichor.jobs.engine.operators;

import java.util.List;
import petrichor.jobs.jobgraph.Operation;

/** Maps operations to drivers. Stateless. */
final class Drivers {
    private Drivers() {}

    /**
     * A driver for one subtask.
     *
     * @param splits of a task that reads
     * @param trials to run before it reads
     */
    static Driver of(TaskContext task, Splits splits, List<Trial> trials) {
        return switch (task.vertex().operation()) {
            case Operation.Read(var source) ->
                    new ReadDriver(
                            source,
                            splits,
                            task.space().control(),
                            task.metrics(),
                            trials,
                            task.participant());
            case Operation.Write _, Operation.Relay _ -> new RelayDriver(task);
            case Operation.SortedReduce reduce -> new SortedReduceDriver(task, reduce);
            case Operation.HashAggregate aggregate -> new HashAggregateDriver(task, aggregate);
            case Operation.SortedAggregate aggregate -> new SortedAggregateDriver(task, aggregate);
            case Operation.MergeJoin join -> new MergeJoinDriver(task, join);
            case Operation.HashJoin join -> new HashJoinDriver(task, join);
            case Operation.Cross cross -> new CrossDriver(task, cross);
            case Operation.CoGroup coGroup -> new CoGroupDriver(task, coGroup);
        };
    }
}
