package petrichor.jobs.engine.operators;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.TaskInput;
import petrichor.jobs.engine.exchange.PartSizes;
import petrichor.jobs.engine.exchange.TaskMembership;
import petrichor.jobs.engine.exchange.TaskMetrics;
import petrichor.jobs.engine.memory.BlockSource;
import petrichor.jobs.engine.memory.BlockStream;
import petrichor.jobs.engine.memory.ExternalSort;
import petrichor.jobs.engine.memory.MemoryShare;
import petrichor.jobs.engine.memory.MergingStream;
import petrichor.jobs.engine.memory.RecordStream;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.records.RecordType;

/** What a driver works with: its vertex, its inputs, its memory. Belongs to one subtask. */
public final class TaskContext {
    private final JobVertex vertex;
    private final int subtask;
    private final List<TaskInput> gates;
    private final long shareBytes;
    private final Workspace space;
    private final TaskMetrics metrics;
    private final TaskMembership.@Nullable Participant participant;
    private final List<TaskInputStream> streams = new ArrayList<>();

    /**
     * @param participant membership in its task, under live scaling
     */
    public TaskContext(
            JobVertex vertex,
            int subtask,
            List<TaskInput> gates,
            long shareBytes,
            Workspace space,
            TaskMetrics metrics,
            TaskMembership.@Nullable Participant participant) {
        this.participant = participant;
        this.vertex = vertex;
        this.subtask = subtask;
        this.gates = List.copyOf(gates);
        this.shareBytes = shareBytes;
        this.space = space;
        this.metrics = metrics;
        metrics.waitsAt(this.gates);
    }

    JobVertex vertex() {
        return vertex;
    }

    int subtask() {
        return subtask;
    }

    Workspace space() {
        return space;
    }

    TaskMetrics metrics() {
        return metrics;
    }

    /** Membership in its task, under live scaling. */
    TaskMembership.@Nullable Participant participant() {
        return participant;
    }

    RecordType inputType(int input) {
        return vertex.inputType(input);
    }

    TaskInput gate(int input) {
        return gates.get(input);
    }

    /** Stops reading: senders terminate early, unless other subtasks of the task continue. */
    void leave() {
        gates.forEach(TaskInput::cancelUpstream);
        if (participant != null) {
            participant.leave();
        }
    }

    /** Memory for one sort, table or buffer. */
    MemoryShare share() {
        return new MemoryShare(shareBytes);
    }

    /** The records of an input in the order that the plan requires; sorts them if necessary. */
    TaskInputStream open(int input, ChainedOperator out) {
        RecordStream ordered =
                switch (vertex.inputs().get(input).order()) {
                    case InputOrder.AsTheyCome _, InputOrder.Buffered _ -> arriving(input);
                    case InputOrder.Sorted(var key) -> {
                        ExternalSort sort = new ExternalSort(key, inputType(input), share(), space);
                        PartSizes sizes = new PartSizes(vertex.parallelism());
                        try {
                            BlockSource blocks = blocks(input);
                            for (Block b = blocks.next(); b != null; b = blocks.next()) {
                                if (PartSizes.isIn(b)) {
                                    sizes.add(b);
                                    space.pool().give(b);
                                } else {
                                    sort.add(b);
                                }
                            }
                            if (sizes.known()) {
                                out.place(
                                        sizes.offset(subtask), sizes.bytes(subtask), sizes.total());
                            }
                            yield sort.sorted();
                        } catch (Throwable e) {
                            sort.close();
                            throw e;
                        }
                    }
                    case InputOrder.Merged(var key) -> {
                        List<RecordStream> senders = new ArrayList<>();
                        for (int i = 0; i < gate(input).senders(); i++) {
                            int sender = i;
                            senders.add(
                                    new BlockStream(
                                            () -> received(gate(input).next(sender)),
                                            inputType(input),
                                            space.pool()));
                        }
                        yield new MergingStream(senders, key, inputType(input));
                    }
                };
        TaskInputStream stream = new TaskInputStream(ordered, gate(input), out, space.control());
        streams.add(stream);
        return stream;
    }

    /** Whether the blocks of an input may be taken in any order. */
    boolean unordered(int input) {
        return switch (vertex.inputs().get(input).order()) {
            case InputOrder.AsTheyCome _, InputOrder.Buffered _ -> true;
            case InputOrder.Sorted _, InputOrder.Merged _ -> false;
        };
    }

    /** The blocks of an input; the caller owns each block it takes. */
    BlockSource blocks(int input) {
        return () -> received(gate(input).next());
    }

    private BlockStream arriving(int input) {
        return new BlockStream(blocks(input), inputType(input), space.pool());
    }

    private @Nullable Block received(@Nullable Block block) {
        space.control().check();
        if (block != null && !PartSizes.isIn(block)) {
            metrics.received(block);
        }
        return block;
    }

    /** The position of the task for an error message; empty if it has read nothing. */
    String position() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < streams.size(); i++) {
            text.append(text.isEmpty() ? "at record " : " and record ");
            text.append(streams.get(i).records());
            if (streams.size() > 1) {
                text.append(" of input ").append(i + 1);
            }
        }
        return text.toString();
    }

    /** Releases the inputs. */
    void close() {
        streams.forEach(TaskInputStream::close);
        leave();
        gates.forEach(TaskInput::close);
    }
}
