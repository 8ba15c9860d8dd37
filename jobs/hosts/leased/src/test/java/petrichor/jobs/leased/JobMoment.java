package petrichor.jobs.leased;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.local.RunWatcher;
import petrichor.jobs.pact.compiler.Explanation;

/**
 * A moment of a job, defined by a number of events instead of a clock: the same one on a slow
 * machine.
 */
final class JobMoment implements RunWatcher {
    private static final long WAIT_S_MAX = 120;

    private final CountDownLatch reached = new CountDownLatch(1);
    private final int after;
    private int told;
    private int restarts;

    /**
     * @param after this many state changes and metrics of subtasks
     */
    JobMoment(int after) {
        this.after = after;
    }

    @Override
    public void compiled(List<Explanation> parts) {}

    @Override
    public void enters(int part, int round) {}

    @Override
    public void began(ExecutionGraph image) {}

    @Override
    public synchronized void changed(ExecutionDelta delta) {
        boolean ofSubtasks =
                delta instanceof ExecutionDelta.SubtaskMoved
                        || delta instanceof ExecutionDelta.SubtasksMeasured;
        restarts += delta instanceof ExecutionDelta.StageRestarted ? 1 : 0;
        if (ofSubtasks && ++told == after) {
            reached.countDown();
        }
    }

    /** Number of restarted stages. */
    synchronized int restarts() {
        return restarts;
    }

    /** The moment will not come any more. */
    void passed() {
        reached.countDown();
    }

    /** False if it never comes. */
    boolean await() throws InterruptedException {
        return reached.await(WAIT_S_MAX, TimeUnit.SECONDS);
    }
}
