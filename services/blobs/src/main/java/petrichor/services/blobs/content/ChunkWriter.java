package petrichor.services.blobs.content;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/** Writes a content's rows, with several commits under way. */
final class ChunkWriter implements ContentWriter {
    private static final int COMMITS_MAX = 4;

    private final Database database;
    private final ContentId id;
    private final byte[] chunk;
    private final Queue<CompletableFuture<CommitResult>> commits = new ArrayDeque<>();
    private int filled;
    private int index;

    ChunkWriter(Database database, ContentId id, int index, int chunkBytes) {
        this.database = database;
        this.id = id;
        this.index = index;
        this.chunk = new byte[chunkBytes];
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        int at = offset;
        int left = length;
        while (left > 0) {
            int part = Math.min(left, chunk.length - filled);
            System.arraycopy(bytes, at, chunk, filled, part);
            filled += part;
            at += part;
            left -= part;
            if (filled == chunk.length) {
                send();
            }
        }
    }

    private void send() {
        if (commits.size() == COMMITS_MAX) {
            await(commits.remove());
        }
        RowWrite write =
                new RowWrite(RowContent.key(id, index), Arrays.copyOf(chunk, filled), null);
        try (Snapshot snapshot = database.snapshot()) {
            commits.add(commit(database, snapshot.version(), List.of(write)));
        }
        index++;
        filled = 0;
    }

    static CompletableFuture<CommitResult> commit(
            Database database, long version, List<RowWrite> writes) {
        List<byte[]> keys = writes.stream().map(RowWrite::key).toList();
        return database.commit(new CommitRequest(version, List.of(), List.of(), keys, writes));
    }

    static void await(CompletableFuture<CommitResult> commit) {
        CommitResult result;
        try {
            result = commit.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
        switch (result) {
            case CommitResult.Committed _ -> {}
            case CommitResult.Conflict _ ->
                    throw PetrichorException.of(
                            ErrorCode.ABORTED,
                            "two requests wrote the same part of an upload; ask for its state and"
                                    + " continue there");
            case CommitResult.Refused(PetrichorException reason) -> throw reason;
            case CommitResult.Unknown(PetrichorException reason) -> throw reason;
        }
    }

    @Override
    public void finish() {
        if (filled > 0) {
            send();
        }
        while (!commits.isEmpty()) {
            await(commits.remove());
        }
    }

    @Override
    public void close() {
        commits.clear();
    }
}
