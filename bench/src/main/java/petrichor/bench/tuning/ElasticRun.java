package petrichor.bench.tuning;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.jobs.engine.Engine;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.JobWatcher;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.tuning.BottleneckSearch;
import petrichor.jobs.tuning.JobProfile;
import petrichor.jobs.tuning.LiveScaling;
import petrichor.jobs.tuning.TaskProfile;

/**
 * One run of a pipeline that is scaled while it runs. A run that loses a page fails.
 *
 * @param scalings by task, in order
 * @param begins start of each phase, in seconds
 */
record ElasticRun(
        ElasticPipeline pipeline,
        double seconds,
        List<Moment> moments,
        List<Change> scalings,
        List<Double> begins) {
    private static final double SPAN_SECONDS_MIN = 0.24;

    /**
     * @param second end of the interval
     * @param busy utilisation of each task in the interval
     * @param subtasks current parallelism
     * @param rate pages per second that left the OCR
     * @param bottlenecks names of the bottlenecks
     */
    record Moment(
            double second,
            Map<String, Double> busy,
            Map<String, Integer> subtasks,
            double rate,
            List<String> bottlenecks) {}

    record Change(String task, TaskScaling scaling) {}

    /**
     * A period in which a stateless task was the bottleneck.
     *
     * @param from its start, in seconds
     * @param until its end, or when the task had as many subtasks as are useful
     */
    record Relief(String task, double from, double until) {
        double seconds() {
            return until - from;
        }
    }

    static ElasticRun of(ElasticPipeline pipeline, EngineOptions options) {
        Watch watch = new Watch(ExecutionGraph.of(pipeline.graph()));
        JobMaster job =
                new Engine(options.withScaling(LiveScaling::ofThisMachine))
                        .start(pipeline.graph(), watch);
        double seconds = job.await().elapsed().toNanos() / 1e9;
        List<Change> changes =
                job.image().scalings().stream()
                        .map(
                                each ->
                                        new Change(
                                                pipeline.graph().vertex(each.vertex()).name(),
                                                each))
                        .toList();
        List<Double> begins = new ArrayList<>();
        for (int phase = 0; phase < pipeline.phases(); phase++) {
            long at = pipeline.begins().get(phase);
            begins.add(at == 0 ? 0 : (at - watch.began) / 1e9);
        }
        return new ElasticRun(pipeline, seconds, watch.moments, changes, begins);
    }

    /**
     * Every period in which a stateless task was reported as the bottleneck, from its cause (the
     * start of a phase with more expensive pages, or of the interval in which it was first
     * reported) to the end of the last interval that shows it; if it was reported to the end, to
     * its last scaling.
     */
    List<Relief> reliefs() {
        List<Relief> found = new ArrayList<>();
        for (String task : List.of(DocumentPipeline.OCR, DocumentPipeline.PDF)) {
            double from = -1;
            double last = -1;
            double before = 0;
            for (Moment moment : moments) {
                if (moment.bottlenecks().contains(task)) {
                    if (from < 0) {
                        from = appeared(task, before, moment.second());
                    }
                    last = moment.second();
                } else if (from >= 0 && moment.second() - last > SPAN_SECONDS_MIN) {
                    // Not for a single interval only.
                    found.add(new Relief(task, from, last));
                    from = -1;
                }
                before = moment.second();
            }
            if (from >= 0) {
                found.add(new Relief(task, from, lastGrowth(task, from)));
            }
        }
        return found;
    }

    /**
     * A phase explains a bottleneck that is reported after it started, if none was reported in
     * between.
     */
    private double appeared(String task, double before, double until) {
        double phase = 0;
        for (double begin : begins) {
            phase = begin < until ? Math.max(phase, begin) : phase;
        }
        double since = phase;
        boolean shownBetween =
                moments.stream()
                        .filter(moment -> moment.second() > since && moment.second() < until)
                        .anyMatch(moment -> moment.bottlenecks().contains(task));
        boolean explains = task.equals(DocumentPipeline.OCR) && phase < before && !shownBetween;
        return explains ? phase : before;
    }

    private double lastGrowth(String task, double from) {
        double last = from;
        for (Change change : scalings) {
            if (change.task().equals(task) && change.scaling().to() > change.scaling().from()) {
                last = Math.max(last, change.scaling().at().toNanos() / 1e9);
            }
        }
        return last;
    }

    /** Maximum parallelism of a task. */
    int most(String task) {
        return moments.stream().mapToInt(m -> m.subtasks().getOrDefault(task, 1)).max().orElse(1);
    }

    /** Called by one thread at a time. */
    private static final class Watch implements JobWatcher {
        private final List<Moment> moments = new ArrayList<>();
        private final Map<String, Integer> subtasks = new LinkedHashMap<>();
        private ExecutionGraph image;
        private JobProfile before;
        private long began = System.nanoTime();
        private long last = began;

        Watch(ExecutionGraph image) {
            this.image = image;
            this.before = JobProfile.of(image);
        }

        @Override
        public void began(ExecutionGraph first) {
            image = first;
            began = System.nanoTime();
            last = began;
        }

        @Override
        public void changed(ExecutionDelta delta) {
            image = image.apply(delta);
            long now = System.nanoTime();
            if (delta instanceof ExecutionDelta.TaskScaled(var scaling, var _)) {
                subtasks.put(image.job().vertex(scaling.vertex()).name(), scaling.to());
            }
            if (delta instanceof ExecutionDelta.SubtasksMeasured
                    && now - last >= SPAN_SECONDS_MIN * 1e9) {
                JobProfile profile = JobProfile.of(image);
                JobProfile span = profile.since(before);
                Map<String, Double> busy = new LinkedHashMap<>();
                double rate = 0;
                for (TaskProfile task : span.tasks()) {
                    String name = PipelineRun.shortName(task.name());
                    busy.put(name, task.busyMean());
                    if (name.equals(DocumentPipeline.OCR)) {
                        rate = task.recordsIn() / ((now - last) / 1e9);
                    }
                }
                moments.add(
                        new Moment(
                                (now - began) / 1e9,
                                busy,
                                Map.copyOf(subtasks),
                                rate,
                                PipelineRun.names(BottleneckSearch.STANDARD.in(span), span)));
                before = profile;
                last = now;
            }
        }
    }
}
