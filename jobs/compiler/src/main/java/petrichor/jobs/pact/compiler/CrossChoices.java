package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.pact.Contract;

/**
 * Enumerates the ways to execute Cross: bring every record of one input to every record of the
 * other.
 */
final class CrossChoices {
    private final Choices choices;

    CrossChoices(Choices choices) {
        this.choices = choices;
    }

    void cross(Contract.Cross cross, Candidate first, Candidate second) {
        if (choices.parallelism() == 1) {
            offer(cross, choices.plain(first), choices.plain(second), null);
            return;
        }
        offer(cross, everywhere(first), choices.plain(second), Side.SECOND);
        offer(cross, choices.plain(first), everywhere(second), Side.FIRST);
        for (var grid : grids()) {
            offer(
                    cross,
                    DataTransfer.of(
                            first,
                            new Shipping.FragmentAndReplicate(grid[0], grid[1], Side.FIRST),
                            InputOrder.asTheyCome()),
                    DataTransfer.of(
                            second,
                            new Shipping.FragmentAndReplicate(grid[0], grid[1], Side.SECOND),
                            InputOrder.asTheyCome()),
                    null);
        }
    }

    /** Grids of the subtasks with at least two rows and columns; others amount to a broadcast. */
    private List<int[]> grids() {
        var grids = new ArrayList<int[]>();
        for (int rows = 2; rows <= choices.parallelism() / 2; rows++) {
            if (choices.parallelism() % rows == 0) {
                grids.add(new int[] {rows, choices.parallelism() / rows});
            }
        }
        return grids;
    }

    private static DataTransfer everywhere(Candidate input) {
        return DataTransfer.of(input, new Shipping.Broadcast(), InputOrder.asTheyCome());
    }

    /**
     * @param stays the input that is not replicated, if any: its properties are preserved
     */
    private void offer(
            Contract.Cross cross, DataTransfer first, DataTransfer second, @Nullable Side stays) {
        for (var outer : Side.values()) {
            for (boolean blocked : new boolean[] {false, true}) {
                var outerWay = outer == Side.FIRST ? first : second;
                var innerWay = outer == Side.FIRST ? second : first;
                var distribution = Distribution.random();
                if (stays != null) {
                    var arriving = choices.arriving(stays == Side.FIRST ? first : second);
                    distribution =
                            arriving.through(choices.node().promises(), stays.input())
                                    .distribution();
                }
                var order =
                        blocked
                                ? LocalOrder.NONE
                                : choices.arriving(outerWay)
                                        .through(choices.node().promises(), outer.input())
                                        .order();
                choices.offer(
                        (blocked ? "blocked" : "streamed")
                                + " nested loop, outer the "
                                + (outer == Side.FIRST ? "first" : "second"),
                        new Operation.Cross(outer, blocked, cross.code(), choices.node().type()),
                        List.of(first, second),
                        new Properties(distribution, order),
                        choices.model()
                                .nestedLoop(
                                        copies(outerWay),
                                        copies(innerWay),
                                        blocked,
                                        choices.parallelism()));
            }
        }
    }

    private Size copies(DataTransfer way) {
        var size = way.from().size();
        double copies =
                switch (way.shipping()) {
                    case Shipping.Broadcast() -> choices.parallelism();
                    case Shipping.FragmentAndReplicate(var rows, var columns, var side) ->
                            side == Side.FIRST ? columns : rows;
                    case Shipping.Forward(),
                            Shipping.Rebalance(),
                            Shipping.HashPartition _,
                            Shipping.RangePartition _ ->
                            1;
                };
        return size.withRecords(size.records() * copies);
    }
}
