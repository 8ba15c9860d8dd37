package petrichor.transactions.commit;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.transactions.CommitResult;

/** What a durable step did to some of its commits. */
sealed interface StepResult {
    /** Completes their futures. To be called without locks: callbacks run here. */
    void complete();

    /**
     * A commit and what validation decided.
     *
     * @param result null for internal rows
     */
    record Decision(Pending pending, @Nullable CommitResult result) {}

    /** Each as it was decided: admitted commits, which are durable and visible, or others. */
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

    /** It is unknown whether they were written. */
    record Unknown(List<Pending> commits, PetrichorException reason) implements StepResult {
        @Override
        public void complete() {
            commits.forEach(pending -> pending.leaveUnknown(reason));
        }
    }
}
