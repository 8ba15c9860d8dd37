package petrichor.transactions.databases;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import petrichor.base.Bytes;
import petrichor.transactions.commit.CommitIntent;
import petrichor.transactions.commit.GroupCommit;
import petrichor.transactions.locks.AccessSet;
import petrichor.transactions.locks.LockOutcome;
import petrichor.transactions.locks.LockTable;
import petrichor.transactions.locks.LockWaits;

/**
 * Gives priority to transactions that would lose to others again: they hold locks before they read.
 * Thread-safe.
 */
final class PriorityLocks {
    private static final CompletableFuture<Boolean> YES = CompletableFuture.completedFuture(true);
    private static final CompletableFuture<Boolean> NO = CompletableFuture.completedFuture(false);

    private final LockWaits locks;
    private final GroupCommit commits;

    PriorityLocks(LockWaits locks, GroupCommit commits) {
        this.locks = locks;
        this.commits = commits;
    }

    /**
     * For the retry of a lost transaction: waits for locks on all rows that the lost one accessed.
     * If they are not granted, the retry runs without them.
     *
     * @param optimistic other optimistic transactions may pass these locks
     */
    void acquire(LockTable.Owner owner, AccessSet former, boolean optimistic) {
        if (locks.acquire(former.locks(owner)).join() != LockOutcome.GRANTED) {
            locks.release(owner);
            return;
        }
        if (optimistic) {
            locks.downgrade(owner);
        }
        drainUnlockedCommits().join();
    }

    /**
     * For an optimistic transaction before its first reads: if other transactions are writing these
     * rows it would lose to them, so it waits for its turn, for a bounded time.
     *
     * @return whether it has waited
     */
    CompletableFuture<Boolean> takeTurn(LockTable.Owner owner, List<byte[]> keys) {
        if (!locks.contended(owner, keys)) {
            return NO;
        }
        List<LockTable.Lock> wanted =
                keys.stream()
                        .sorted(Bytes::compare)
                        .map(key -> LockTable.precautionary(owner, key))
                        .toList();
        return locks.acquireSoon(wanted)
                .thenCompose(
                        outcome -> {
                            if (outcome != LockOutcome.GRANTED) {
                                locks.release(owner);
                                return YES;
                            }
                            locks.downgrade(owner);
                            return drainUnlockedCommits().thenApply(_ -> true);
                        });
    }

    /**
     * Commits queued before a lock was taken are not blocked by it: reads must happen after them.
     */
    CompletableFuture<?> drainUnlockedCommits() {
        return locks.someAreWithoutLocks() ? commits.commit(CommitIntent.NOTHING) : NO;
    }
}
