package petrichor.jobs.engine.workers;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.jobgraph.JobGraph;

/** Provides the worker processes of jobs. Safe for all threads. */
public interface WorkerSource {
    /** Workers send a heartbeat every second; a busy machine may delay it considerably. */
    Duration SILENT_MAX = Duration.ofSeconds(30);

    /** Limit of a stage's attempts when its processes die. */
    int attemptsMax();

    /**
     * A worker without a heartbeat for this long is considered to hang: it is ended, and counts as
     * one that died.
     */
    default Duration silentMax() {
        return SILENT_MAX;
    }

    /**
     * Where a program of one job graph can be resumed; empty if it always starts from the
     * beginning.
     */
    default Optional<ResumePoint> resumePoint() {
        return Optional.empty();
    }

    /** The same workers, for jobs that are not resumed. */
    static WorkerSource unresumable(WorkerSource source) {
        return new WorkerSource() {
            @Override
            public int attemptsMax() {
                return source.attemptsMax();
            }

            @Override
            public Duration silentMax() {
                return source.silentMax();
            }

            @Override
            public @Nullable ReusableWorkers kept() {
                return source.kept();
            }

            @Override
            public JobGraph prepared(JobGraph graph) {
                return source.prepared(graph);
            }

            @Override
            public JobWorkers open(JobGraph graph, EngineOptions options) {
                return source.open(graph, options);
            }
        };
    }

    /**
     * These workers for a sequence of job graphs, with the same processes where possible; null if
     * each graph has new ones.
     */
    default @Nullable ReusableWorkers kept() {
        return null;
    }

    /** The graph to run on such workers, which may have more file channels. */
    default JobGraph prepared(JobGraph graph) {
        return graph;
    }

    /**
     * Workers for one job graph, which is about to start.
     *
     * @param options limits of the job, for all of its processes together
     */
    JobWorkers open(JobGraph graph, EngineOptions options);
}
