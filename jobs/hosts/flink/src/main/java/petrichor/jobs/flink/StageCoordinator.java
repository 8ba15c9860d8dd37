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
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;

/**
 * The coordinator of one stage, in Flink's job manager: receives its tasks' reports, combines the
 * samples of edges and sends the splitters to all tasks, and buffers news for the client that polls
 * it. Called by Flink's single thread of the job.
 */
final class StageCoordinator implements OperatorCoordinator, CoordinationRequestHandler {
    /** The name by which clients address it; it belongs to one vertex and serves all. */
    static final String NAME = "petrichor-stage";

    /**
     * Limit of the state changes buffered between two polls: 2^16; beyond it the oldest are
     * dropped.
     */
    private static final int MOVES_MAX = 1 << 16;

    private final StageWork work;
    private final Map<Integer, Map<Integer, List<byte[]>>> samples = new HashMap<>();
    private final HashMap<Integer, ArrayList<byte[]>> cuts = new HashMap<>();
    private final HashSet<StageMessage.Route> cancelled = new HashSet<>();
    private final Map<SubtaskId, Integer> attempts = new HashMap<>();
    private final Map<SubtaskId, String> machines = new HashMap<>();
    private final Map<StageMessage.Route, Double> busy = new HashMap<>();
    private final TreeMap<SubtaskId, SubtaskMetrics> metrics = new TreeMap<>();
    private ArrayList<StageMessage.Move> moves = new ArrayList<>();
    private int attempt;

    StageCoordinator(StageWork work) {
        this.work = work;
    }

    /** Flink's factory of coordinators. */
    record Provider(byte[] work) implements OperatorCoordinator.Provider {
        @Override
        public OperatorID getOperatorId() {
            return id();
        }

        @Override
        public OperatorCoordinator create(Context context) throws Exception {
            return new StageCoordinator(
                    InstantiationUtil.deserializeObject(
                            work, JobClasses.over(context.getUserCodeClassloader())));
        }
    }

    /** The id by which tasks address it. */
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
                cancelled.clear();
                machines.clear();
                busy.clear();
            }
            machines.put(report.task(), report.machine());
            report.busy()
                    .forEach(
                            (edge, part) ->
                                    busy.put(
                                            new StageMessage.Route(edge, report.task().subtask()),
                                            part));
            moves.addAll(report.moves());
            if (moves.size() > MOVES_MAX) {
                moves.subList(0, moves.size() - MOVES_MAX).clear();
            }
            metrics.putAll(report.metrics());
            report.samples().forEach((edge, records) -> sample(edge, report.task(), records));
            for (int edge : report.cancelled()) {
                cancelled.add(new StageMessage.Route(edge, report.task().subtask()));
            }
        }
        // Copies: a message within this process is not serialized, and other threads read it.
        return new StageMessage.Known(
                new HashMap<>(cuts), new HashSet<>(cancelled), new HashMap<>(receptions(report)));
    }

    private Map<StageMessage.Route, StageMessage.Reception> receptions(StageMessage.Report report) {
        Map<StageMessage.Route, StageMessage.Reception> known = new HashMap<>();
        for (StageWork.Carried edge : work.edges()) {
            if (edge.from() == report.task().vertex()) {
                for (int to = 0; to < work.graph().vertex(edge.to()).parallelism(); to++) {
                    String machine = machines.get(new SubtaskId(edge.to(), to));
                    if (machine != null) {
                        StageMessage.Route way = new StageMessage.Route(edge.edge(), to);
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

    /** Splitters are kept across attempts: any splitters are correct. */
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
        return new StageMessage.News(
                attempt + 1, told, new TreeMap<>(metrics), LeaseFailures.reason());
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
