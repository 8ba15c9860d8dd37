package petrichor.movement.replication;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.CompositeIndex;
import petrichor.entities.EntityDatabase;
import petrichor.entities.StoredEntities;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.movement.backups.BackupRow;
import petrichor.movement.backups.DatabaseRows;
import petrichor.rpc.v1.CopySource;
import petrichor.rpc.v1.FenceSource;
import petrichor.rpc.v1.HoldSource;
import petrichor.rpc.v1.Leadership;
import petrichor.rpc.v1.ReadSource;
import petrichor.rpc.v1.ReopenSource;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationResponse;
import petrichor.transactions.ChangeFeed;
import petrichor.transactions.ChangedCommit;
import petrichor.transactions.Changes;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.Row;
import petrichor.transactions.RowChange;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/**
 * Executes the requests of a replication at the source, which this process owns. Thread-safe; has
 * no state.
 */
final class SourceDatabase {
    private static final int COMMITS_MAX = 1_000;
    private static final long BYTES_MAX = 4 << 20;
    private static final long WAIT_MS_MAX = 10_000;
    private static final int ATTEMPTS_MAX = 100;

    private final EntityDatabase database;

    SourceDatabase(EntityDatabase database) {
        this.database = database;
    }

    private ChangeFeed feed() {
        return database.rows().changes();
    }

    /** The status, the positions of the feed and the indexes. */
    ReplicationResponse describe() {
        try (Snapshot snapshot = database.rows().snapshot()) {
            return withIndexes(ReplicationResponse.newBuilder())
                    .setStatus(StoredStatus.read(snapshot).status())
                    .setNewest(feed().newest())
                    .setOldest(feed().oldest())
                    .build();
        }
    }

    private ReplicationResponse.Builder withIndexes(ReplicationResponse.Builder response) {
        List<CompositeIndex> indexes = database.indexes().newest().all();
        return response.setDeclaredIndexes(
                        DatabaseRows.yaml(indexes, CompositeIndex.Origin.DECLARED))
                .setAutomaticIndexes(DatabaseRows.yaml(indexes, CompositeIndex.Origin.AUTOMATIC));
    }

    /** A database without a role becomes the primary of a new lineage. */
    ReplicationResponse lead() {
        return change(
                (before) ->
                        switch (before.getRole()) {
                            case NONE, UNRECOGNIZED ->
                                    ReplicaStatus.newBuilder()
                                            .setRole(ReplicaStatus.Role.PRIMARY)
                                            .setLeadership(
                                                    StoredStatus.leadership(
                                                            UUID.randomUUID().toString(), 1))
                                            .build();
                            case PRIMARY, REPLICA, RETIRED -> before;
                        },
                "");
    }

    /**
     * Refuses commits from now on; returns the newest version, after which there are none. The
     * status names the stream that closed the source, which may be another one.
     */
    ReplicationResponse fence(FenceSource request) {
        ReplicationResponse fenced =
                change(
                        before ->
                                before.getRole() == ReplicaStatus.Role.PRIMARY
                                                && before.getLeadership().getEpoch()
                                                        == request.getEpoch()
                                        ? before.toBuilder()
                                                .setRole(ReplicaStatus.Role.RETIRED)
                                                .setStream(request.getStream())
                                                .build()
                                        : before,
                        request.getReason());
        return fenced.toBuilder().setNewest(feed().newest()).build();
    }

    /** Only for the stream that closed the source: another one may have promoted its target. */
    ReplicationResponse reopen(ReopenSource request) {
        return change(
                before -> {
                    Leadership held = before.getLeadership();
                    return before.getRole() == ReplicaStatus.Role.RETIRED
                                    && before.getStream().equals(request.getStream())
                                    && request.getEpoch() > held.getEpoch()
                            ? before.toBuilder()
                                    .setRole(ReplicaStatus.Role.PRIMARY)
                                    .clearStream()
                                    .setLeadership(held.toBuilder().setEpoch(request.getEpoch()))
                                    .build()
                            : before;
                },
                "");
    }

    private interface Change {
        ReplicaStatus of(ReplicaStatus before);
    }

    private ReplicationResponse change(Change change, String reason) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            try (Snapshot snapshot = database.rows().snapshot()) {
                StoredStatus before = StoredStatus.read(snapshot);
                ReplicaStatus next = change.of(before.status());
                if (next.equals(before.status())
                        || StoredStatus.committed(
                                database.rows(),
                                new CommitRequest(
                                        snapshot.version(),
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        List.of()),
                                before.next(next, reason))) {
                    return ReplicationResponse.newBuilder().setStatus(next).build();
                }
            }
        }
        throw PetrichorException.of(
                ErrorCode.ABORTED, "Others change the state of the replication; try again.");
    }

    ReplicationResponse hold(HoldSource request) {
        var _ = feed().moveConsumer(request.getConsumer(), request.getPosition());
        return ReplicationResponse.getDefaultInstance();
    }

    ReplicationResponse drop(String consumer) {
        if (feed().consumers().stream().anyMatch(one -> one.name().equals(consumer))) {
            feed().deleteConsumer(consumer);
        }
        return ReplicationResponse.getDefaultInstance();
    }

    /** Reads until something is selected, or the wait is over. */
    ReplicationResponse read(ReadSource request) {
        RowSelection selection = new RowSelection(request.getSelection());
        long wait = Math.clamp(request.getWaitMs(), 0, WAIT_MS_MAX);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(wait);
        long position = request.getPosition();
        while (true) {
            Changes part = part(position, Math.min(BYTES_MAX, request.getBytesMax()));
            ReplicationResponse.Builder found = selected(part, selection);
            boolean more = part.position() > position;
            position = part.position();
            long left = end - System.nanoTime();
            if (found.getCommits() > 0 || left <= 0) {
                return found.setPosition(position).setNewest(feed().newest()).build();
            }
            if (!more) {
                await(position, left);
            }
        }
    }

    /** Without the commit that exceeds the size: the replica commits a part as one transaction. */
    private Changes part(long position, long bytesMax) {
        Changes part = feed().after(position, COMMITS_MAX, bytesMax);
        List<ChangedCommit> commits = part.commits();
        long bytes = 0;
        int count = 0;
        while (count < commits.size()
                && (count == 0 || bytes + commits.get(count).bytes() <= bytesMax)) {
            bytes += commits.get(count).bytes();
            count++;
        }
        return count == commits.size()
                ? part
                : new Changes(commits.get(count - 1).version(), commits.subList(0, count));
    }

    private void await(long position, long nanos) {
        try {
            feed().beyond(position).get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException nothingNew) {
            // The caller reads once more and answers.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "The server is shutting down.");
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private ReplicationResponse.Builder selected(Changes part, RowSelection selection) {
        List<BackupRow> rows = new ArrayList<>();
        ReplicationResponse.Builder response = ReplicationResponse.newBuilder();
        boolean indexes = false;
        int commits = 0;
        for (ChangedCommit commit : part.commits()) {
            int before = rows.size();
            boolean changesIndexes = false;
            for (RowChange change : commit.rows()) {
                Row after = change.after();
                if (selection.selects(change.key())) {
                    byte[] value = after == null ? null : after.value();
                    rows.add(
                            new BackupRow(
                                    change.key(),
                                    commit.version(),
                                    selection.masked(change.key(), value)));
                }
                changesIndexes |= StoredEntities.isIndexCatalog(change.key());
            }
            if (rows.size() > before || changesIndexes) {
                commits++;
                if (commits == 1) {
                    response.setFirstVersion(commit.version());
                }
            }
            indexes |= changesIndexes;
        }
        if (indexes) {
            withIndexes(response);
        }
        RowPayload payload = RowPayload.of(rows);
        return response.setRows(payload.compressed())
                .setRawBytes(payload.rawBytes())
                .setCount(rows.size())
                .setCommits(commits);
    }

    /** The rows from a key on, at the newest version. */
    ReplicationResponse copy(CopySource request) {
        RowSelection selection = new RowSelection(request.getSelection());
        List<BackupRow> rows = new ArrayList<>();
        long bytes = 0;
        long bytesMax = Math.min(BYTES_MAX, request.getBytesMax());
        try (Snapshot snapshot = database.rows().snapshot()) {
            ReplicationResponse.Builder response =
                    ReplicationResponse.newBuilder().setVersion(snapshot.version()).setEnd(true);
            for (KeyRange range : selection.ranges(request.getFrom().toByteArray(), null)) {
                try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
                    while (bytes < bytesMax && cursor.next()) {
                        BackupRow row = row(cursor, selection);
                        if (selection.selects(row.key())) {
                            rows.add(row);
                            bytes += row.bytes();
                        }
                        if (bytes >= bytesMax) {
                            response.setEnd(false)
                                    .setNext(ByteString.copyFrom(Bytes.successor(row.key())));
                        }
                    }
                }
            }
            RowPayload payload = RowPayload.of(rows);
            return response.setRows(payload.compressed())
                    .setRawBytes(payload.rawBytes())
                    .setCount(rows.size())
                    .build();
        }
    }

    private static BackupRow row(RowCursor cursor, RowSelection selection) {
        byte[] key = cursor.key();
        return new BackupRow(key, cursor.version(), selection.masked(key, cursor.value()));
    }
}
