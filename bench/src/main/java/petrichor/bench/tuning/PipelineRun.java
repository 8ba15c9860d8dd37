package petrichor.bench.tuning;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.Engine;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.JobWatcher;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.tuning.BottleneckSearch;
import petrichor.jobs.tuning.Finding;
import petrichor.jobs.tuning.JobProfile;
import petrichor.jobs.tuning.TaskProfile;

/**
 * One run of the pipeline and its observations.
 *
 * @param parallelism by task name; missing tasks have one subtask
 * @param profile of the whole run
 */
record PipelineRun(
        Map<String, Integer> parallelism,
        double seconds,
        JobProfile profile,
        List<Moment> moments) {
    /** Shorter intervals show blocks rather than tasks. */
    private static final double SPAN_SECONDS_MIN = 0.2;

    /**
     * @param busy utilisation by task name
     * @param bottlenecks names of the bottlenecks in the interval that ended here
     */
    record Moment(double second, Map<String, Double> busy, List<String> bottlenecks) {}

    static PipelineRun of(
            DocumentPipeline pipeline, Map<String, Integer> parallelism, EngineOptions options) {
        JobGraph graph = pipeline.graph(parallelism);
        Watch watch = new Watch(graph);
        JobMaster job = new Engine(options).start(graph, watch);
        double seconds = job.await().elapsed().toNanos() / 1e9;
        JobProfile profile = JobProfile.of(job.image());
        requireAll(pipeline, profile);
        return new PipelineRun(Map.copyOf(parallelism), seconds, profile, watch.moments);
    }

    private static void requireAll(DocumentPipeline pipeline, JobProfile profile) {
        requireRecords(profile, "pdf writer", pipeline.pages());
        requireRecords(profile, "index writer", (long) pipeline.pages() * pipeline.words());
    }

    private static void requireRecords(JobProfile profile, String writer, long records) {
        for (TaskProfile task : profile.tasks()) {
            if (task.name().equals(writer) && task.recordsOut() != records) {
                throw new PetrichorException(
                        ErrorCode.INTERNAL,
                        writer + " wrote " + task.recordsOut() + " records instead of " + records);
            }
        }
    }

    /** The task's name without those fused with it. */
    static String shortName(String name) {
        int arrow = name.indexOf(" → ");
        return arrow < 0 ? name : name.substring(0, arrow);
    }

    static List<String> names(List<Finding> findings, JobProfile profile) {
        return findings.stream()
                .map(finding -> shortName(profile.task(finding.task()).name()))
                .toList();
    }

    String plan() {
        return profile.tasks().stream()
                .filter(task -> task.parallelism() > 1)
                .map(task -> shortName(task.name()) + " " + task.parallelism())
                .collect(
                        Collectors.collectingAndThen(
                                Collectors.joining(", "),
                                all -> all.isEmpty() ? "one of each" : all));
    }

    int subtasks() {
        return profile.tasks().stream().mapToInt(TaskProfile::parallelism).sum();
    }

    /** Called by one thread at a time. */
    private static final class Watch implements JobWatcher {
        private final List<Moment> moments = new ArrayList<>();
        private ExecutionGraph image;
        private JobProfile before;
        private long began;
        private long last;

        Watch(JobGraph graph) {
            image = ExecutionGraph.of(graph);
            before = JobProfile.of(image);
        }

        @Override
        public void began(ExecutionGraph first) {
            image = first;
            before = JobProfile.of(first);
            began = System.nanoTime();
            last = began;
        }

        @Override
        public void changed(ExecutionDelta delta) {
            image = image.apply(delta);
            long now = System.nanoTime();
            if (delta instanceof ExecutionDelta.SubtasksMeasured
                    && now - last >= SPAN_SECONDS_MIN * 1e9) {
                JobProfile profile = JobProfile.of(image);
                JobProfile span = profile.since(before);
                Map<String, Double> busy = new LinkedHashMap<>();
                span.tasks().forEach(task -> busy.put(shortName(task.name()), task.busyMean()));
                moments.add(
                        new Moment(
                                (now - began) / 1e9,
                                busy,
                                names(BottleneckSearch.STANDARD.in(span), span)));
                before = profile;
                last = now;
            }
        }
    }
}
