package petrichor.tuples;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Snapshot;

/**
 * Read-modify-write of tuples: computes edits at the newest version and commits them; starts again
 * if another commit changed what they depend on. Blocks. Thread-safe.
 */
record TupleCommits(Database database) {
    private static final int ATTEMPTS_MAX = 100;

    /**
     * @param work may run several times
     */
    <T> T commit(Function<TupleEdits, T> work) {
        for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
            T result;
            CompletableFuture<CommitResult> commit;
            try (Snapshot snapshot = database.snapshot()) {
                TupleEdits edits = new TupleEdits(snapshot);
                result = work.apply(edits);
                if (edits.isEmpty()) {
                    return result;
                }
                commit = database.commit(edits.request());
            }
            switch (commit.join()) {
                case CommitResult.Committed _ -> {
                    return result;
                }
                case CommitResult.Conflict _ -> {}
                case CommitResult.Refused(PetrichorException reason) -> throw reason;
                case CommitResult.Unknown(PetrichorException reason) -> throw reason;
            }
        }
        throw PetrichorException.of(
                ErrorCode.ABORTED,
                "Too much contention on tuples of {database}; nothing was changed. Retry with"
                        + " backoff.",
                "database",
                database.name());
    }
}
