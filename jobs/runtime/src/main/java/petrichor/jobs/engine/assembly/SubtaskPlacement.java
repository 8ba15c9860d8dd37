package petrichor.jobs.engine.assembly;

import java.util.ArrayList;
import java.util.List;
import petrichor.jobs.channels.BlockWriter;
import petrichor.jobs.channels.InputGate;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.JobVertex;

/** Maps subtasks to processes, and connects them with those in other processes. Immutable. */
public interface SubtaskPlacement {
    /** Everything runs in this process. */
    SubtaskPlacement HERE =
            new SubtaskPlacement() {
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
     * @param edge its position in the graph
     * @param sender number of the sending subtask
     * @param receiver number of the receiving subtask
     */
    record ChannelId(ChannelType type, int edge, int sender, int receiver) {
        /** Name of its file, for a file channel. */
        public String file() {
            return edge + "-" + sender + "-" + receiver;
        }
    }

    /** Whether the job runs in this process alone. */
    boolean alone();

    /**
     * Whether one thread brings in the frames of all senders of an edge: then no sender may have to
     * wait until a block of another one has been taken.
     */
    default boolean sharesInputs() {
        return false;
    }

    boolean isHere(int vertex, int subtask);

    /**
     * Whether blocks are handed over from the sender to the receiver's gate: both are in this
     * process, and the data need not outlive it.
     */
    boolean direct(ChannelId channel);

    /** The sending end of a channel whose blocks are not handed over. */
    BlockWriter writer(ChannelId channel);

    /**
     * Attaches a gate as the receiving end of such a channel.
     *
     * @param slot the sender's number at the gate
     */
    void receive(ChannelId channel, int slot, InputGate gate);

    /**
     * The splits that a subtask may read: all of them where subtasks can share them dynamically.
     */
    default <S> List<S> splits(List<S> all, JobVertex vertex, int subtask) {
        List<S> mine = new ArrayList<>();
        for (int i = subtask; i < all.size(); i += vertex.parallelism()) {
            mine.add(all.get(i));
        }
        return mine;
    }
}
