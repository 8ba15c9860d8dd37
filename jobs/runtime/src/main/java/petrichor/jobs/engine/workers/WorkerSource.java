package petrichor.jobs.engine.workers;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.jobgraph.JobGraph;

/** Where jobs get their worker processes. Safe for all threads. */
public interface WorkerSource {
    /** Workers say every second that they live; a busy computer may delay that by much. */
    Duration SILENT_MAX = Duration.ofSeconds(30);

    /** How often a stage is tried at most, when its processes die. */
    int attemptsMax();

    /** A worker that says nothing for so long hangs: it is ended, and counts as one that died. */
    default Duration silentMax() {
        return SILENT_MAX;
    }

    /** Where a program of one job graph can be gone on with; empty if it begins anew. */
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
            public @Nullable KeptWorkers kept() {
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
     * These workers for several job graphs, one after the other, with the same processes where
     * possible; null if each graph has new ones.
     */
    default @Nullable KeptWorkers kept() {
        return null;
    }

    /** The graph as it will run on such workers, which may want more files between its tasks. */
    default JobGraph prepared(JobGraph graph) {
        return graph;
    }

    /**
     * For one job graph, which begins.
     *
     * @param options what the job may take, all of its processes together
     */
    JobWorkers open(JobGraph graph, EngineOptions options);
}
