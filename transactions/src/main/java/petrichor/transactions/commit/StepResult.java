package petrichor.transactions.commit;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.transactions.CommitResult;

/** Outcome of a durable step for some of its commits. */
sealed interface StepResult {
    /** Completes their futures. Call without holding locks: callbacks run here. */
    void complete();

    /**
     * A commit and the result of its validation.
     *
     * @param result null for internal rows
     */
    record Decision(Pending pending, @Nullable CommitResult result) {}

    /** Commits with individual results: admitted, durable and visible, or rejected. */
    record Decided(List<Decision> decisions) implements StepResult {
        @Override
        public void complete() {
            for (Decision one : decisions) {
                one.pending().complete(one.result());
            }
        }
    }

    /** Nothing of them was written. */
    record Refused(List<Pending> commits, PetrichorException reason) implements StepResult {
        @Override
        public void complete() {
            commits.forEach(pending -> pending.refuse(reason));
        }
    }

    /** Their outcome is unknown. */
    record Unknown(List<Pending> commits, PetrichorException reason) implements StepResult {
        @Override
        public void complete() {
            commits.forEach(pending -> pending.leaveUnknown(reason));
        }
    }
}
