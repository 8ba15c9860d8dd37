package petrichor.services.queues;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Snapshot;

/**
 * Read-modify-write of queue rows: computes edits at the newest version and commits them; starts
 * again if another commit changed the rows meanwhile. Blocks. Thread-safe.
 */
public final class QueueCommits {
    /** Conflicts are rare, since one server changes the queues of a project. */
    private static final int ATTEMPTS_MAX = 50;

    private final Database database;

    public QueueCommits(Database database) {
        this.database = database;
    }

    /** The database that holds the rows. */
    public Database database() {
        return database;
    }

    /**
     * @param work may run several times
     */
    public <T> T commit(Function<RowEdits, T> work) {
        for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
            T result;
            CompletableFuture<CommitResult> commit;
            try (Snapshot snapshot = database.snapshot()) {
                RowEdits edits = new RowEdits(snapshot);
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
                "Too much contention on the queues of {database}; nothing was changed. Retry with"
                        + " backoff.",
                "database",
                database.name());
    }
}
