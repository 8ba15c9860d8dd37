package petrichor.jobs.engine.assembly;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.FileProblem;
import petrichor.jobs.engine.operators.Splits;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Source;

/**
 * Cuts a job's sources into splits, and decides which subtask may read which. Belongs to the job's
 * thread.
 */
final class SourceSplits {
    /** More splits than subtasks, so that a slow subtask reads less. */
    private static final int SPLITS_PER_SUBTASK = 8;

    /** Parallelism for which a source is cut if its parallelism may change. */
    private static final int READERS_FORESEEN = 16;

    /**
     * A trial reads the beginnings of this many splits per subtask, evenly spread over the source.
     */
    private static final int TRIAL_SPLITS_PER_SUBTASK = 16;

    /** The source is cut into this many times more parts than a trial reads. */
    private static final int TRIAL_PARTS = 4;

    private final SubtaskPlacement placement;
    private final Gates gates;
    private final Map<Integer, Splits> splits = new HashMap<>();

    SourceSplits(SubtaskPlacement placement, Gates gates) {
        this.placement = placement;
        this.gates = gates;
    }

    /** Cuts the source of a task that is about to start, if it has one. */
    void cut(JobVertex vertex) {
        List<Source.Split> all =
                vertex.operation() instanceof Operation.Read(var source)
                        ? split(source, readers(vertex) * SPLITS_PER_SUBTASK)
                        : List.of();
        splits.put(vertex.id(), new Splits(all));
    }

    /** The number of readers for which splits are made. */
    private int readers(JobVertex vertex) {
        return gates.membership(vertex.id()) == null
                ? vertex.parallelism()
                : Math.max(vertex.parallelism(), READERS_FORESEEN);
    }

    /** All splits if the task's subtasks share them, or only this subtask's own. */
    Splits of(JobVertex vertex, int subtask) {
        Splits all = splits.getOrDefault(vertex.id(), new Splits(List.of()));
        return placement.alone() ? all : new Splits(placement.splits(all.all(), vertex, subtask));
    }

    /** Splits from the whole source, for a subtask that reads only their beginnings. */
    static List<Source.Split> forTrial(Source source, JobVertex vertex, int subtask) {
        int readers = TRIAL_SPLITS_PER_SUBTASK * vertex.parallelism();
        List<Source.Split> parts = split(source, readers * TRIAL_PARTS);
        int step = Math.max(1, parts.size() / readers);
        List<Source.Split> mine = new ArrayList<>();
        for (int i = subtask; i * step < parts.size(); i += vertex.parallelism()) {
            mine.add(parts.get(i * step));
        }
        return mine;
    }

    private static List<Source.Split> split(Source source, int wanted) {
        try {
            return source.splits(wanted);
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + source.name(), e);
        }
    }
}
