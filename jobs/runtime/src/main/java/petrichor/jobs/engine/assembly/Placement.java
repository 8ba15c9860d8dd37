package petrichor.jobs.engine.assembly;

import java.util.ArrayList;
import java.util.List;
import petrichor.jobs.channels.BlockWriter;
import petrichor.jobs.channels.InputGate;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.JobVertex;

/** Which process a subtask runs in, and the way to those in other ones. Immutable. */
public interface Placement {
    /** Everything is in this process. */
    Placement HERE =
            new Placement() {
                @Override
                public boolean alone() {
                    return true;
                }

                @Override
                public boolean isHere(int vertex, int subtask) {
                    return true;
                }

                @Override
                public boolean direct(ChannelId channel) {
                    return true;
                }

                @Override
                public BlockWriter writer(ChannelId channel) {
                    throw new IllegalStateException("there is no other process");
                }

                @Override
                public void receive(ChannelId channel, int slot, InputGate gate) {
                    throw new IllegalStateException("there is no other process");
                }

                @Override
                public <S> List<S> splits(List<S> all, JobVertex vertex, int subtask) {
                    return all;
                }
            };

    /**
     * One channel of a job.
     *
     * @param edge its place in the graph
     * @param sender a subtask of the task where the edge begins
     * @param receiver a subtask of the task where it ends
     */
    record ChannelId(ChannelType type, int edge, int sender, int receiver) {
        /** What its file is called, if it is one. */
        public String file() {
            return edge + "-" + sender + "-" + receiver;
        }
    }

    /** Whether there is no other process. */
    boolean alone();

    /**
     * Whether what comes over an edge is carried in by one thread for all of its senders: then none
     * of them may have to wait until a block of another one has been taken.
     */
    default boolean sharesInputs() {
        return false;
    }

    boolean isHere(int vertex, int subtask);

    /**
     * Whether blocks are handed from the sender to the receiver's gate as they are: both are in
     * this process, and nothing of it has to outlive the process.
     */
    boolean direct(ChannelId channel);

    /** The sending end of a channel where blocks are not handed over. */
    BlockWriter writer(ChannelId channel);

    /**
     * Lets what comes through such a channel arrive at a gate.
     *
     * @param slot the sender's number at the gate
     */
    void receive(ChannelId channel, int slot, InputGate gate);

    /** The splits that a subtask may take: all where subtasks can share them out as they go. */
    default <S> List<S> splits(List<S> all, JobVertex vertex, int subtask) {
        List<S> mine = new ArrayList<>();
        for (int i = subtask; i < all.size(); i += vertex.parallelism()) {
            mine.add(all.get(i));
        }
        return mine;
    }
}
