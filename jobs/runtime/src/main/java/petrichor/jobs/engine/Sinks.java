package petrichor.jobs.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.FileProblem;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Sink;

/**
 * All sinks of a job, which are opened together, and committed or aborted together. Belongs to one
 * thread.
 */
final class Sinks {
    private final List<JobVertex> writers;
    private final List<JobVertex> started = new ArrayList<>();

    Sinks(JobGraph graph) {
        this.writers =
                graph.vertices().stream()
                        .filter(vertex -> vertex.operation() instanceof Operation.Write)
                        .toList();
    }

    void begin() {
        try {
            for (JobVertex vertex : writers) {
                Sink sink = sink(vertex);
                sink.check(vertex.inputType(0));
                started.add(vertex);
                try {
                    sink.begin(vertex.inputType(0), vertex.parallelism());
                } catch (IOException e) {
                    throw FileProblem.of("cannot start writing " + sink.name(), e);
                }
            }
        } catch (RuntimeException e) {
            abort();
            throw e;
        }
    }

    /** An earlier process opened them, and neither committed nor aborted them. */
    void resume() {
        started.addAll(writers);
    }

    void commit() {
        for (JobVertex vertex : writers) {
            try {
                sink(vertex).commit(vertex.parallelism());
            } catch (IOException e) {
                throw FileProblem.of("cannot move " + sink(vertex).name() + " into place", e);
            }
        }
    }

    /** Removes uncommitted output; a failure to do so does not hide why the job failed. */
    void abort() {
        for (JobVertex vertex : started) {
            try {
                sink(vertex).abort(vertex.parallelism());
            } catch (IOException | RuntimeException e) {
                System.getLogger(Sinks.class.getName())
                        .log(System.Logger.Level.WARNING, "cannot remove a failed job's output", e);
            }
        }
    }

    private static Sink sink(JobVertex vertex) {
        return switch (vertex.operation()) {
            case Operation.Write(var sink) -> sink;
            case Operation other -> throw new IllegalStateException("not a sink: " + other);
        };
    }
}
