package petrichor.transactions.commit;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.PetrichorException;
import petrichor.kv.WriteBatch;
import petrichor.transactions.CommitResult;

/** An entry of the commit queue, and the caller that waits for it. */
sealed interface Pending {
    /** Memory of a row in addition to its key and value. */
    long ROW_BYTES = 96;

    long bytes();

    /** Heap that it holds while it waits, and until its rows are applied. */
    default long memoryBytes() {
        return bytes() + rows() * ROW_BYTES;
    }

    /** Number of rows that it writes, including history. */
    long rows();

    /**
     * Completes its future with the result of validation; an admitted commit is durable.
     *
     * @param decided null for internal rows, which are durable
     */
    void complete(@Nullable CommitResult decided);

    /** The reason why its caller no longer waits for it; null if it does. */
    @Nullable PetrichorException reasonToCancel();

    /** Nothing of it was written. */
    void refuse(PetrichorException reason);

    /** Its outcome is unknown. */
    void leaveUnknown(PetrichorException reason);

    /**
     * A commit.
     *
     * @param caller of the request that it belongs to; null for commits of the server itself
     */
    record Commit(
            CommitIntent intent,
            long bytes,
            CompletableFuture<CommitResult> result,
            @Nullable Cancellation caller)
            implements Pending {
        @Override
        public long rows() {
            return intent.rows();
        }

        @Override
        public @Nullable PetrichorException reasonToCancel() {
            return caller == null ? null : caller.reasonToStop();
        }

        @Override
        public void complete(@Nullable CommitResult decided) {
            result.complete(decided);
        }

        @Override
        public void refuse(PetrichorException reason) {
            result.complete(new CommitResult.Refused(reason));
        }

        @Override
        public void leaveUnknown(PetrichorException reason) {
            result.complete(new CommitResult.Unknown(reason));
        }
    }

    /** Internal rows: reserved blocks of ids, removal of old history. */
    record InternalRows(WriteBatch batch, CompletableFuture<Void> done) implements Pending {
        @Override
        public long bytes() {
            return batch.bytes();
        }

        @Override
        public long rows() {
            return batch.ops().size();
        }

        @Override
        public void complete(@Nullable CommitResult decided) {
            done.complete(null);
        }

        @Override
        public @Nullable PetrichorException reasonToCancel() {
            return null;
        }

        @Override
        public void refuse(PetrichorException reason) {
            done.completeExceptionally(reason);
        }

        @Override
        public void leaveUnknown(PetrichorException reason) {
            done.completeExceptionally(reason);
        }
    }
}
