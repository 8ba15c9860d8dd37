package petrichor.jobs.flink;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationRequestHandler;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.streaming.api.graph.StreamingJobGraphGenerator;
import org.apache.flink.util.InstantiationUtil;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.hosted.StageWork;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;

/**
 * One for each stage, in Flink's job manager: hears from its tasks, puts the samples of edges
 * together and tells all of them where the ranges are cut, and keeps what is new until it is asked.
 * Called by the one thread that Flink has for the job.
 */
final class StageCoordinator implements OperatorCoordinator, CoordinationRequestHandler {
    /** By this name clients ask for it; it belongs to one vertex and serves all. */
    static final String NAME = "petrichor-stage";

    /** What tasks have moved and nobody has asked for: 2^16; then the oldest are forgotten. */
    private static final int MOVES_MAX = 1 << 16;

    private final StageWork work;
    private final Map<Integer, Map<Integer, List<byte[]>>> samples = new HashMap<>();
    private final HashMap<Integer, ArrayList<byte[]>> cuts = new HashMap<>();
    private final HashSet<StageMessage.Way> enough = new HashSet<>();
    private final Map<SubtaskId, Integer> attempts = new HashMap<>();
    private final Map<SubtaskId, String> machines = new HashMap<>();
    private final Map<StageMessage.Way, Double> busy = new HashMap<>();
    private final TreeMap<SubtaskId, SubtaskFigures> figures = new TreeMap<>();
    private ArrayList<StageMessage.Move> moves = new ArrayList<>();
    private int attempt;

    StageCoordinator(StageWork work) {
        this.work = work;
    }

    /** How Flink makes one. */
    record Provider(byte[] work) implements OperatorCoordinator.Provider {
        @Override
        public OperatorID getOperatorId() {
            return id();
        }

        @Override
        public OperatorCoordinator create(Context context) throws Exception {
            return new StageCoordinator(
                    InstantiationUtil.deserializeObject(work, context.getUserCodeClassloader()));
        }
    }

    /** By what tasks address it. */
    static OperatorID id() {
        return StreamingJobGraphGenerator.generateOperatorID(NAME);
    }

    @Override
    public CompletableFuture<CoordinationResponse> handleCoordinationRequest(
            CoordinationRequest request) {
        return CompletableFuture.completedFuture(
                switch (request) {
                    case StageMessage.Report report -> heard(report);
                    case StageMessage.Ask _ -> news();
                    case CoordinationRequest other ->
                            throw new IllegalArgumentException(
                                    "not a message for a stage: " + other);
                });
    }

    private StageMessage.Known heard(StageMessage.Report report) {
        int known = attempts.merge(report.task(), report.attempt(), Math::max);
        if (report.attempt() == known) {
            if (known > attempt) {
                attempt = known;
                moves.clear();
                enough.clear();
                machines.clear();
                busy.clear();
            }
            machines.put(report.task(), report.machine());
            report.busy()
                    .forEach(
                            (edge, part) ->
                                    busy.put(
                                            new StageMessage.Way(edge, report.task().subtask()),
                                            part));
            moves.addAll(report.moves());
            if (moves.size() > MOVES_MAX) {
                moves.subList(0, moves.size() - MOVES_MAX).clear();
            }
            figures.putAll(report.figures());
            report.samples().forEach((edge, records) -> sample(edge, report.task(), records));
            for (int edge : report.enough()) {
                enough.add(new StageMessage.Way(edge, report.task().subtask()));
            }
        }
        // Copies: what stays in this process is not serialized, and is read by other threads.
        return new StageMessage.Known(
                new HashMap<>(cuts), new HashSet<>(enough), new HashMap<>(receptions(report)));
    }

    private Map<StageMessage.Way, StageMessage.Reception> receptions(StageMessage.Report report) {
        Map<StageMessage.Way, StageMessage.Reception> known = new HashMap<>();
        for (StageWork.Carried edge : work.edges()) {
            if (edge.from() == report.task().vertex()) {
                for (int to = 0; to < work.graph().vertex(edge.to()).parallelism(); to++) {
                    String machine = machines.get(new SubtaskId(edge.to(), to));
                    if (machine != null) {
                        StageMessage.Way way = new StageMessage.Way(edge.edge(), to);
                        known.put(
                                way,
                                new StageMessage.Reception(
                                        !machine.equals(report.machine()),
                                        busy.getOrDefault(way, 0.0)));
                    }
                }
            }
        }
        return known;
    }

    /** What was found out once holds for later attempts, too: any cuts are right. */
    private void sample(int edge, SubtaskId task, List<byte[]> records) {
        Map<Integer, List<byte[]>> ofEdge = samples.computeIfAbsent(edge, _ -> new TreeMap<>());
        ofEdge.put(task.subtask(), records);
        int from = work.graph().edges().get(edge).from();
        if (!cuts.containsKey(edge) && ofEdge.size() == work.graph().vertex(from).parallelism()) {
            ArrayList<byte[]> all = new ArrayList<>();
            ofEdge.values().forEach(all::addAll);
            cuts.put(edge, new ArrayList<>(work.cuts(edge, all)));
        }
    }

    private StageMessage.News news() {
        ArrayList<StageMessage.Move> told = moves;
        moves = new ArrayList<>();
        return new StageMessage.News(attempt + 1, told, new TreeMap<>(figures), LeaseNews.reason());
    }

    @Override
    public void start() {}

    @Override
    public void close() {}

    @Override
    public void handleEventFromOperator(
            int subtask,
            int attemptNumber,
            org.apache.flink.runtime.operators.coordination.OperatorEvent event) {
        throw new IllegalArgumentException("tasks send requests, not events");
    }

    @Override
    public void checkpointCoordinator(long checkpointId, CompletableFuture<byte[]> resultFuture) {
        resultFuture.complete(new byte[0]);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {}

    @Override
    public void resetToCheckpoint(long checkpointId, byte @Nullable [] checkpointData) {}

    @Override
    public void subtaskReset(int subtask, long checkpointId) {}

    @Override
    public void executionAttemptFailed(
            int subtask, int attemptNumber, @Nullable Throwable reason) {}

    @Override
    public void executionAttemptReady(int subtask, int attemptNumber, SubtaskGateway gateway) {}
}
