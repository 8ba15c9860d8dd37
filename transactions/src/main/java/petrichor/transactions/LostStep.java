package petrichor.transactions;

import java.util.List;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A durable step of unknown outcome, and the commits that wait for it.
 *
 * @param epoch under which it was written
 * @param version of it; no other step of that epoch has it
 * @param admitted commits in it
 * @param committed completions to run if it was written
 */
record LostStep(
        long epoch, long version, int admitted, List<Runnable> committed, List<Pending> all) {

    /** What a new owner's look at the log says about it. */
    enum Fate {
        WRITTEN,
        NOT_WRITTEN,
        /** Another owner has written since; its record has replaced ours, if there was one. */
        UNKNOWN
    }

    /**
     * @param last the newest durable step; writes in flight at that time can no longer arrive
     */
    Fate fate(CommitPoint.LastCommit last) {
        if (last.epoch() == epoch && last.version() >= version) {
            return Fate.WRITTEN;
        }
        // The store still has the note of an earlier step: ours would have replaced it.
        return last.epoch() <= epoch && last.version() < version ? Fate.NOT_WRITTEN : Fate.UNKNOWN;
    }

    void tell(Fate fate, String database, List<Runnable> tell) {
        switch (fate) {
            case WRITTEN -> tell.addAll(committed);
            case NOT_WRITTEN -> {
                PetrichorException reason =
                        unavailable(
                                database,
                                "The store failed while it wrote this commit; nothing was written."
                                        + " Retry.");
                all.forEach(pending -> tell.add(() -> pending.refuse(reason)));
            }
            case UNKNOWN ->
                    tellUnknown(
                            unavailable(
                                    database,
                                    "The store failed while it wrote this commit, and another"
                                        + " server has taken over; read the data to see whether it"
                                        + " was written."),
                            tell);
        }
    }

    void tellUnknown(PetrichorException reason, List<Runnable> tell) {
        all.forEach(pending -> tell.add(() -> pending.leaveUnknown(reason)));
    }

    private static PetrichorException unavailable(String database, String text) {
        return new PetrichorException(ErrorCode.UNAVAILABLE, text, Map.of("database", database));
    }
}
