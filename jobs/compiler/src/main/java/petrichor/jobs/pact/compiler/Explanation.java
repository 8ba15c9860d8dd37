package petrichor.jobs.pact.compiler;

import java.util.List;

/**
 * The compiler's choices and estimates (EXPLAIN), for people and for tests.
 *
 * @param plan name of the plan, or of the part of it that is one job graph
 * @param contracts producers before consumers
 * @param nanos total cost, in the model's nanoseconds
 */
public record Explanation(String plan, List<Explained> contracts, double nanos) {
    public Explanation {
        contracts = List.copyOf(contracts);
    }

    /** As text, for a terminal. */
    public String text() {
        return ExplanationText.of(this);
    }

    /** As JSON. */
    public String json() {
        return ExplanationJson.of(this);
    }

    /** As a drawing in SVG. */
    public String drawing() {
        return ExplanationDrawing.of(this);
    }

    /**
     * One contract.
     *
     * @param id unique in this explanation
     * @param contract kind of contract in the plan: Map, Match, …
     * @param strategy how each subtask executes it
     * @param records estimated number of records that it emits
     * @param bytes estimated bytes that it emits
     * @param distribution of its records over the subtasks, in words
     * @param order in which each subtask emits them, in words
     */
    public record Explained(
            int id,
            String contract,
            String name,
            String strategy,
            int parallelism,
            List<Incoming> inputs,
            double records,
            double bytes,
            Cost cost,
            String distribution,
            String order) {
        public Explained {
            inputs = List.copyOf(inputs);
        }
    }

    /**
     * How the output of one contract is shipped to another.
     *
     * @param from id of the contract that emits it
     * @param shipping distribution to subtasks
     * @param order how the receiver prepares its input; empty if it does not
     * @param combined whether a combiner is applied before sending
     */
    public record Incoming(int from, String shipping, String order, boolean combined) {}
}
