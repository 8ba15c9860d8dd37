package petrichor.placement.simulation;

import java.util.Map;

/**
 * What a layout costs.
 *
 * @param costs per operation
 * @param nodesMean nodes contacted per operation of the workload
 * @param tupleImbalance tuples of the fullest node over the mean
 * @param requestImbalance requests of the busiest node over the mean
 * @param latencyMillisMean of the workload
 * @param latencyMillisP99 of the workload
 */
public record Outcome(
        Strategy strategy,
        Indexing indexing,
        Map<Operation, Cost> costs,
        double nodesMean,
        double tupleImbalance,
        double requestImbalance,
        double latencyMillisMean,
        double latencyMillisP99) {
    /**
     * Of one operation.
     *
     * @param nodesMean nodes contacted; each costs a request and a response
     */
    public record Cost(
            double nodesMean, int nodesP50, int nodesP99, double latencyMillisMean, int count) {
        public double messagesMean() {
            return 2 * nodesMean;
        }
    }

    public Outcome {
        costs = Map.copyOf(costs);
    }
}
