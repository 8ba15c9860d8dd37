package petrichor.services.mail;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * The rows of a project's mails, of type {@code N}: heads (a {@link StoredMail}) and chunks of
 * contents. The head is written last, in the commit that accepts the mail: chunks without a head
 * are remains of a mail that was never accepted. Thread-safe, except that callers write the same
 * mail one after the other.
 */
record MailRows(Database database) {
    private static final int TYPE = 'N';
    private static final int HEAD = 'h';
    private static final int CHUNK = 'c';

    /** Every store accepts values of this size. */
    private static final int CHUNK_BYTES = 256 << 10;

    /** Chunks in one commit. */
    private static final int COMMIT_CHUNKS = 8;

    List<StoredMail> heads() {
        List<StoredMail> heads = new ArrayList<>();
        try (Snapshot snapshot = database.snapshot();
                RowCursor cursor =
                        snapshot.scan(
                                KeyRange.ofPrefix(new byte[] {TYPE, HEAD}), Direction.FORWARD)) {
            while (cursor.next()) {
                heads.add(StoredMail.parse(cursor.value()));
            }
        }
        return heads;
    }

    Optional<StoredMail> head(long id) {
        try (Snapshot snapshot = database.snapshot()) {
            return Optional.ofNullable(snapshot.get(headKey(id).toBytes()))
                    .map(row -> StoredMail.parse(row.value()));
        }
    }

    /** The content; empty if the mail was deleted. */
    Optional<byte[]> content(StoredMail mail) {
        byte[] content = new byte[Math.toIntExact(mail.bytes())];
        int filled = 0;
        try (Snapshot snapshot = database.snapshot();
                RowCursor cursor =
                        snapshot.scan(
                                KeyRange.ofPrefix(chunkKey(mail.id()).toBytes()),
                                Direction.FORWARD)) {
            while (cursor.next()) {
                byte[] chunk = cursor.value();
                if (chunk.length > content.length - filled) {
                    return Optional.empty();
                }
                System.arraycopy(chunk, 0, content, filled, chunk.length);
                filled += chunk.length;
            }
        }
        return filled == content.length ? Optional.of(content) : Optional.empty();
    }

    /** Durable when it returns. */
    void insert(StoredMail mail, byte[] content) {
        List<RowWrite> writes = new ArrayList<>();
        for (int from = 0, number = 0; from < content.length; from += CHUNK_BYTES, number++) {
            byte[] chunk =
                    Arrays.copyOfRange(content, from, Math.min(content.length, from + CHUNK_BYTES));
            writes.add(new RowWrite(chunkKey(mail.id()).putInt(number).toBytes(), chunk, null));
            if (writes.size() == COMMIT_CHUNKS) {
                commit(writes);
                writes = new ArrayList<>();
            }
        }
        writes.add(new RowWrite(headKey(mail.id()).toBytes(), mail.toBytes(), null));
        commit(writes);
    }

    void update(StoredMail mail) {
        byte[] key = headKey(mail.id()).toBytes();
        try (Snapshot snapshot = database.snapshot()) {
            Row prior = snapshot.get(key);
            if (prior != null) {
                commit(snapshot, List.of(new RowWrite(key, mail.toBytes(), prior)));
            }
        }
    }

    /** The head first: what is left of a crash in between is removed by {@link #removeRemains}. */
    void delete(long id) {
        try (Snapshot snapshot = database.snapshot()) {
            byte[] key = headKey(id).toBytes();
            Row prior = snapshot.get(key);
            if (prior != null) {
                commit(snapshot, List.of(new RowWrite(key, null, prior)));
            }
        }
        deleteAll(KeyRange.ofPrefix(chunkKey(id).toBytes()));
    }

    private void deleteAll(KeyRange range) {
        while (true) {
            try (Snapshot snapshot = database.snapshot()) {
                List<RowWrite> deletions = new ArrayList<>();
                try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
                    while (deletions.size() < COMMIT_CHUNKS && cursor.next()) {
                        deletions.add(
                                new RowWrite(
                                        cursor.key(),
                                        null,
                                        new Row(cursor.key(), cursor.version(), cursor.value())));
                    }
                }
                if (deletions.isEmpty()) {
                    return;
                }
                commit(snapshot, deletions);
            }
        }
    }

    /** Deletes chunks without a head. Call it before mails are accepted. */
    void removeRemains(List<StoredMail> heads) {
        List<Long> known = heads.stream().map(StoredMail::id).toList();
        List<Long> remains = new ArrayList<>();
        KeyRange chunks = KeyRange.ofPrefix(new byte[] {TYPE, CHUNK});
        try (Snapshot snapshot = database.snapshot()) {
            KeyRange rest = chunks;
            while (true) {
                try (RowCursor cursor = snapshot.scan(rest, Direction.FORWARD)) {
                    if (!cursor.next()) {
                        break;
                    }
                    long id = new OrderedReader(cursor.key(), 2).takeLong();
                    if (!known.contains(id)) {
                        remains.add(id);
                    }
                    // Continues after the chunks of this mail.
                    rest =
                            new KeyRange(
                                    java.util.Objects.requireNonNull(
                                            KeyRange.ofPrefix(chunkKey(id).toBytes()).to()),
                                    chunks.to());
                }
            }
        }
        remains.forEach(id -> deleteAll(KeyRange.ofPrefix(chunkKey(id).toBytes())));
    }

    private void commit(List<RowWrite> writes) {
        try (Snapshot snapshot = database.snapshot()) {
            commit(snapshot, writes);
        }
    }

    private void commit(Snapshot snapshot, List<RowWrite> writes) {
        CommitResult result =
                database.commit(
                                new CommitRequest(
                                        snapshot.version(),
                                        List.of(),
                                        List.of(),
                                        writes.stream().map(RowWrite::key).toList(),
                                        writes))
                        .join();
        switch (result) {
            case CommitResult.Committed _ -> {}
            case CommitResult.Conflict _ ->
                    throw PetrichorException.of(
                            ErrorCode.ABORTED,
                            "another server changed this mail; its database has moved there");
            case CommitResult.Refused(PetrichorException reason) -> throw reason;
            case CommitResult.Unknown(PetrichorException reason) -> throw reason;
        }
    }

    private static OrderedWriter headKey(long id) {
        return new OrderedWriter().put(TYPE).put(HEAD).putLong(id);
    }

    private static OrderedWriter chunkKey(long id) {
        return new OrderedWriter().put(TYPE).put(CHUNK).putLong(id);
    }
}
