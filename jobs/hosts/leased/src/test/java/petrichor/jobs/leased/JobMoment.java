package petrichor.jobs.leased;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.local.RunWatcher;
import petrichor.jobs.pact.compiler.Explanation;

/**
 * A moment of a job, found by what its subtasks have told and not by a clock: on a slow computer it
 * is the same one.
 */
final class JobMoment implements RunWatcher {
    private static final long WAIT_S_MAX = 120;

    private final CountDownLatch reached = new CountDownLatch(1);
    private final int after;
    private int told;
    private int restarts;

    /**
     * @param after so many moves and figures of subtasks
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

    /** How many stages began again. */
    synchronized int restarts() {
        return restarts;
    }

    /** There will be no such moment any more. */
    void passed() {
        reached.countDown();
    }

    /** False if it never comes. */
    boolean await() throws InterruptedException {
        return reached.await(WAIT_S_MAX, TimeUnit.SECONDS);
    }
}
