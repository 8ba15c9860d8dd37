package petrichor.transactions.commit;

import java.util.ArrayList;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.WriteBatch;
import petrichor.transactions.CommitResult;
import petrichor.transactions.changes.StepChanges;
import petrichor.transactions.commit.StepResult.Decision;
import petrichor.transactions.log.CommitPoint;

/**
 * A validated group, to be written in one durable step.
 *
 * @param rows of the admitted entries
 * @param version of the last commit; unique among the steps of its epoch
 * @param rejected commits that are not written
 * @param commits how many of the admitted entries are commits; the others are internal rows
 * @param changes what the commits change
 */
record PlannedGroup(
        WriteBatch rows,
        long version,
        List<Decision> admitted,
        List<Decision> rejected,
        int commits,
        StepChanges changes) {

    /** Adds the internal rows of the group to those of the plan. */
    static PlannedGroup of(List<Pending> group, Sequencer.Plan plan, CommitCounters counters) {
        List<Decision> admitted = new ArrayList<>(group.size());
        List<Decision> rejected = new ArrayList<>();
        int results = 0;
        int commits = 0;
        for (Pending pending : group) {
            switch (pending) {
                case Pending.Commit commit -> {
                    CommitResult result = plan.results().get(results++);
                    boolean committed = result instanceof CommitResult.Committed;
                    commits += committed ? 1 : 0;
                    (committed ? admitted : rejected).add(new Decision(commit, result));
                    count(result, counters);
                }
                case Pending.InternalRows internal -> {
                    internal.batch().ops().forEach(plan.rows()::add);
                    admitted.add(new Decision(internal, null));
                }
            }
        }
        return new PlannedGroup(
                plan.rows(), plan.version(), admitted, rejected, commits, plan.changes());
    }

    private static void count(CommitResult result, CommitCounters counters) {
        switch (result) {
            case CommitResult.Conflict _ -> counters.conflicted();
            case CommitResult.Refused _ -> counters.refused();
            case CommitResult.Committed _, CommitResult.Unknown _ -> {}
        }
    }

    /** The admitted entries, whose futures have not completed. */
    List<Pending> waiting() {
        return admitted.stream().map(Decision::pending).toList();
    }

    /**
     * Outcome of a step that could not be confirmed, from the state of the store.
     *
     * @param epoch under which it was written
     * @param last the newest durable step; writes in flight at that time can no longer arrive
     */
    StepResult outcome(long epoch, CommitPoint.LastCommit last, String database) {
        if (last.epoch() == epoch && last.version() >= version) {
            return new StepResult.Decided(admitted);
        }
        if (last.epoch() <= epoch && last.version() < version) {
            // The store still has the note of an earlier step, which this step would have replaced.
            return new StepResult.Refused(
                    waiting(),
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "The store failed while it wrote this commit; nothing was written."
                                    + " Retry.",
                            "database",
                            database));
        }
        // Another owner has written since; its note has replaced the note of this step, if there
        // was one.
        return new StepResult.Unknown(
                waiting(),
                PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        "The store failed while it wrote this commit, and another server has taken"
                                + " over; read the data to see whether it was written.",
                        "database",
                        database));
    }
}
