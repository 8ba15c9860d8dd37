package petrichor.jobs.local;

import java.util.List;
import petrichor.jobs.engine.JobWatcher;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.pact.compiler.Explanation;

/**
 * Observes the progress of a plan: the compiled plan, then every job graph as an image and its
 * changes. Called in order, never by two threads at once; must be quick.
 */
public interface RunWatcher extends JobWatcher {
    /** The plan was compiled: one explanation per job graph, in order. */
    void compiled(List<Explanation> parts);

    /**
     * The next image belongs to this part.
     *
     * @param part from 0
     * @param round of an iteration, from 0; 0 without one
     */
    void enters(int part, int round);

    /** Ignores everything. */
    RunWatcher NONE =
            new RunWatcher() {
                @Override
                public void compiled(List<Explanation> parts) {}

                @Override
                public void enters(int part, int round) {}

                @Override
                public void began(ExecutionGraph image) {}

                @Override
                public void changed(ExecutionDelta delta) {}
            };
}
