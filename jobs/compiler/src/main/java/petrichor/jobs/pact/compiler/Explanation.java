package petrichor.jobs.pact.compiler;

import java.util.List;

/**
 * What the compiler chose and why it thought so, for people and for tests.
 *
 * @param plan name of the plan, or of the part of it that is one job graph
 * @param contracts producers before consumers
 * @param nanos what it costs all in all, in the model's nanoseconds
 */
public record Explanation(String plan, List<Explained> contracts, double nanos) {
    public Explanation {
        contracts = List.copyOf(contracts);
    }

    /** For people, in a terminal. */
    public String text() {
        return ExplanationText.of(this);
    }

    /** For programs. */
    public String json() {
        return ExplanationJson.of(this);
    }

    /** For people, as a picture: SVG. */
    public String drawing() {
        return ExplanationDrawing.of(this);
    }

    /**
     * One contract.
     *
     * @param id unique in this explanation
     * @param contract what was written: Map, Match, …
     * @param strategy how each subtask does it
     * @param records estimated number of records that it emits
     * @param bytes estimated bytes that it emits
     * @param distribution how its records lie over the subtasks, in words
     * @param order how each subtask emits them, in words
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
     * How the records of one contract come into another.
     *
     * @param from id of the contract that emits them
     * @param shipping which subtasks they go to
     * @param order what is done with them before they are seen; empty if nothing
     * @param combined whether a combiner makes them fewer before they go
     */
    public record Incoming(int from, String shipping, String order, boolean combined) {}
}
