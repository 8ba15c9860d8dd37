package petrichor.jobs.engine;

import java.util.List;
import petrichor.jobs.jobgraph.JobVertex;

/**
 * Which process a subtask runs in. Subtask i of every task runs in process i modulo their number,
 * so that what is forwarded from subtask to subtask stays in its process. Immutable.
 */
interface Placement {
    /** Everything is in this process. */
    Placement HERE =
            new Placement() {
                @Override
                public boolean alone() {
                    return true;
                }

                @Override
                public boolean isHere(int subtask) {
                    return true;
                }

                @Override
                public Receiver elsewhere(int edge, int sender, int receiver) {
                    throw new IllegalStateException("there is no other process");
                }

                @Override
                public void receive(int edge, int sender, int receiver, int slot, Gate gate) {
                    throw new IllegalStateException("there is no other process");
                }

                @Override
                public <S> List<S> splits(List<S> all, JobVertex vertex, int subtask) {
                    return all;
                }
            };

    /** Whether there is no other process. */
    boolean alone();

    boolean isHere(int subtask);

    /**
     * The way to a subtask in another process.
     *
     * @param edge its place in the graph
     */
    Receiver elsewhere(int edge, int sender, int receiver);

    /**
     * Lets what a subtask of another process sends arrive at a gate.
     *
     * @param edge its place in the graph
     * @param slot the sender's number at the gate
     */
    void receive(int edge, int sender, int receiver, int slot, Gate gate);

    /** The splits that a subtask may take: all where subtasks can share them out as they go. */
    <S> List<S> splits(List<S> all, JobVertex vertex, int subtask);
}
