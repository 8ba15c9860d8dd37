package petrichor.movement.replication;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityRow;
import petrichor.entities.RowLayout;
import petrichor.entities.StoredEntities;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.movement.backups.BackupRow;
import petrichor.movement.backups.DatabaseRows;
import petrichor.rpc.v1.ApplyChanges;
import petrichor.rpc.v1.BeginReplica;
import petrichor.rpc.v1.Leadership;
import petrichor.rpc.v1.PromoteReplica;
import petrichor.rpc.v1.RaiseEpoch;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationResponse;
import petrichor.rpc.v1.ReplicationResponse.Outcome;
import petrichor.rpc.v1.StoreRange;
import petrichor.tables.StoredTables;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * Executes the requests of a replication at the replica, which this process owns. Each request
 * reads the stored status, and commits its rows with the next status: concurrent requests, and
 * those of a former owner of the source, conflict on that row. Thread-safe; has no state.
 */
final class ReplicaDatabase {
    private static final int ATTEMPTS_MAX = 100;
    private static final int CREATE_TIME_BYTES = 8;

    /** Rows of the replica that are compared with one range of the source. */
    private static final int PRESENT_ROWS_MAX = 5_000;

    private static final long PRESENT_BYTES_MAX = 8 << 20;

    private final EntityDatabase database;

    ReplicaDatabase(EntityDatabase database) {
        this.database = database;
    }

    /** What a request makes of the database, as read at one version. */
    private sealed interface Step {
        /** Changes nothing. */
        record Answer(Outcome outcome) implements Step {}

        /** Commits rows; each key occurs once. */
        record Commit(ReplicaStatus next, List<BackupRow> rows) implements Step {}
    }

    private interface Plan {
        Step of(Snapshot snapshot, ReplicaStatus before);
    }

    private ReplicationResponse perform(Plan plan) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            try (Snapshot snapshot = database.rows().snapshot()) {
                StoredStatus before = StoredStatus.read(snapshot);
                switch (plan.of(snapshot, before.status())) {
                    case Step.Answer(Outcome outcome) -> {
                        return response(outcome, before.status());
                    }
                    case Step.Commit(ReplicaStatus next, List<BackupRow> rows) -> {
                        // A database without a role becomes a replica only if it is empty.
                        List<KeyRange> reads =
                                before.status().getRole() == ReplicaStatus.Role.NONE
                                        ? RowSelection.ALL.ranges()
                                        : List.of();
                        String reason = StoredStatus.reason(database.rows().name(), next);
                        if (StoredStatus.committed(
                                database.rows(),
                                request(snapshot, rows, reads),
                                before.next(next, reason))) {
                            return response(Outcome.DONE, next);
                        }
                    }
                }
            }
        }
        throw PetrichorException.of(
                ErrorCode.ABORTED,
                "Other requests change the replica all the time; is it replicated twice?");
    }

    private static ReplicationResponse response(Outcome outcome, ReplicaStatus status) {
        return ReplicationResponse.newBuilder().setOutcome(outcome).setStatus(status).build();
    }

    private CommitRequest request(
            Snapshot snapshot, List<BackupRow> rows, List<KeyRange> readRanges) {
        List<StoredEntities.State> entities = new ArrayList<>();
        List<BackupRow> others = new ArrayList<>();
        for (BackupRow row : rows) {
            if (RowLayout.isEntity(row.key())) {
                entities.add(new StoredEntities.State(row.key(), row.version(), row.value()));
            } else {
                others.add(row);
            }
        }
        CommitRequest indexed =
                entities.isEmpty()
                        ? new CommitRequest(
                                snapshot.version(), List.of(), List.of(), List.of(), List.of())
                        : StoredEntities.request(database, snapshot, entities);
        List<byte[]> keys = others.stream().map(BackupRow::key).toList();
        List<@Nullable Row> priors = keys.isEmpty() ? List.of() : snapshot.get(keys);
        List<byte[]> conflicts = new ArrayList<>(indexed.conflictKeys());
        // Conflict keys first, in the same order as the writes.
        List<RowWrite> writes = new ArrayList<>(indexed.writes().subList(0, conflicts.size()));
        for (int i = 0; i < others.size(); i++) {
            byte[] value = others.get(i).value();
            Row prior = priors.get(i);
            if (value != null || prior != null) {
                conflicts.add(keys.get(i));
                writes.add(new RowWrite(keys.get(i), value, prior));
            }
        }
        writes.addAll(
                indexed.writes().subList(indexed.conflictKeys().size(), indexed.writes().size()));
        return new CommitRequest(
                indexed.baseVersion(), indexed.readKeys(), readRanges, conflicts, writes);
    }

    /** So that ids allocated after a promotion are new. */
    private void reserveIds(List<BackupRow> rows) {
        StoredEntities.reserveIds(
                database,
                rows.stream()
                        .filter(row -> RowLayout.isEntity(row.key()))
                        .map(row -> new StoredEntities.State(row.key(), 0, null))
                        .toList());
        StoredTables.reserveSequences(database.rows(), rows.stream().map(BackupRow::key).toList());
    }

    /**
     * Makes the database a replica: an empty one, a replica of the same lineage, or a former
     * primary of the lineage. FAILED_PRECONDITION otherwise.
     */
    ReplicationResponse begin(BeginReplica request) {
        Leadership leader = request.getLeadership();
        ReplicationResponse begun =
                perform(
                        (snapshot, before) -> {
                            if (before.getRole() == ReplicaStatus.Role.NONE) {
                                requireEmpty(snapshot);
                            } else {
                                Outcome outcome = ReplicaFence.outcome(leader, before, name());
                                if (outcome == Outcome.FENCED) {
                                    return new Step.Answer(outcome);
                                }
                                requireOther(leader, before);
                            }
                            return new Step.Commit(
                                    ReplicaStatus.newBuilder()
                                            .setRole(ReplicaStatus.Role.REPLICA)
                                            .setLeadership(leader)
                                            .setStream(request.getStream())
                                            .setSource(request.getSource())
                                            .setPosition(request.getPosition())
                                            .setPartial(request.getPartial())
                                            .setDuplicates(before.getDuplicates())
                                            .build(),
                                    List.of());
                        });
        if (begun.getOutcome() == Outcome.DONE) {
            DatabaseRows.declare(
                    database, request.getDeclaredIndexes(), request.getAutomaticIndexes());
        }
        return begun;
    }

    private String name() {
        return database.rows().name();
    }

    private void requireEmpty(Snapshot snapshot) {
        for (KeyRange range : RowSelection.ALL.ranges()) {
            try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
                if (cursor.next()) {
                    throw PetrichorException.of(
                            ErrorCode.FAILED_PRECONDITION,
                            "The database {database} at the target has data already, which a copy"
                                    + " would delete; name another database, or drop it first.",
                            "database",
                            database.rows().name());
                }
            }
        }
    }

    private void requireOther(Leadership leader, ReplicaStatus before) {
        boolean leads =
                switch (before.getRole()) {
                    case PRIMARY, RETIRED -> true;
                    case NONE, REPLICA, UNRECOGNIZED -> false;
                };
        if (leads && leader.getEpoch() == before.getLeadership().getEpoch()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} at the target is the source itself.",
                    "database",
                    database.rows().name());
        }
    }

    /** Applies whole transactions, unless they were applied before. */
    ReplicationResponse apply(ApplyChanges request) {
        List<BackupRow> rows = new RowPayload(request.getRows(), request.getRawBytes()).rows();
        reserveIds(rows);
        ReplicationResponse applied =
                perform(
                        (_, before) -> {
                            Outcome outcome =
                                    ReplicaFence.outcome(
                                            request.getLeadership(),
                                            request.getStream(),
                                            before,
                                            name());
                            if (outcome != Outcome.DONE) {
                                return new Step.Answer(outcome);
                            }
                            if (!before.getCopied() || request.getFrom() > before.getPosition()) {
                                return new Step.Answer(Outcome.ELSEWHERE);
                            }
                            ReplicaBatch batch = ReplicaBatch.of(rows, request.getTo(), before);
                            return batch.isNew()
                                    ? new Step.Commit(batch.next(), batch.rows())
                                    : new Step.Answer(Outcome.DONE);
                        });
        if (applied.getOutcome() == Outcome.DONE
                && !(request.getDeclaredIndexes() + request.getAutomaticIndexes()).isEmpty()) {
            DatabaseRows.declare(
                    database, request.getDeclaredIndexes(), request.getAutomaticIndexes());
        }
        return applied;
    }

    /** Makes a range equal to that of the source: what the source does not have is deleted. */
    ReplicationResponse range(StoreRange request) {
        List<BackupRow> rows = new RowPayload(request.getRows(), request.getRawBytes()).rows();
        RowSelection selection = new RowSelection(request.getSelection());
        reserveIds(rows);
        return perform(
                (snapshot, before) -> {
                    Outcome outcome =
                            ReplicaFence.outcome(
                                    request.getLeadership(), request.getStream(), before, name());
                    if (outcome != Outcome.DONE) {
                        return new Step.Answer(outcome);
                    }
                    return before.getCopied() || !request.getFrom().equals(before.getCopiedTo())
                            ? new Step.Answer(Outcome.ELSEWHERE)
                            : compared(snapshot, request, rows, selection, before);
                });
    }

    private static Step compared(
            Snapshot snapshot,
            StoreRange request,
            List<BackupRow> rows,
            RowSelection selection,
            ReplicaStatus before) {
        ByteString to = request.getTo();
        TreeMap<byte[], BackupRow> present = new TreeMap<>(Arrays::compareUnsigned);
        byte[] end = to.isEmpty() ? null : to.toByteArray();
        long bytes = 0;
        for (KeyRange range : selection.ranges(request.getFrom().toByteArray(), end)) {
            try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
                while (present.size() < PRESENT_ROWS_MAX
                        && bytes < PRESENT_BYTES_MAX
                        && cursor.next()) {
                    if (selection.selects(cursor.key())) {
                        BackupRow row =
                                new BackupRow(cursor.key(), cursor.version(), cursor.value());
                        present.put(row.key(), row);
                        bytes += row.bytes();
                    }
                }
            }
        }
        if (present.size() == PRESENT_ROWS_MAX || bytes >= PRESENT_BYTES_MAX) {
            // The source sends the rest of the range again.
            end = Bytes.successor(present.lastKey());
        }
        List<BackupRow> writes = new ArrayList<>();
        long replaced = 0;
        for (BackupRow row : rows) {
            if (end == null || Arrays.compareUnsigned(row.key(), end) < 0) {
                BackupRow former = present.remove(row.key());
                boolean differs = former == null || !same(former, row);
                // Two catalogs may have the same version: the replica must read this one.
                if (differs || StoredTables.isCatalogVersion(row.key())) {
                    writes.add(row);
                    replaced += former == null || !differs ? 0 : 1;
                }
            }
        }
        present.keySet().forEach(key -> writes.add(new BackupRow(key, 0, null)));
        return new Step.Commit(
                before.toBuilder()
                        .setCopied(end == null)
                        .setCopiedTo(end == null ? ByteString.EMPTY : ByteString.copyFrom(end))
                        .setConsistentFrom(
                                Math.max(before.getConsistentFrom(), request.getVersion()))
                        .setRows(before.getRows() + writes.size())
                        .setReplaced(before.getReplaced() + replaced + present.size())
                        .build(),
                writes);
    }

    /** Whether both have the same content and create time. */
    private static boolean same(BackupRow one, BackupRow other) {
        byte[] left = one.value();
        byte[] right = other.value();
        if (left == null || right == null || !RowLayout.isEntity(one.key())) {
            return Arrays.equals(left, right);
        }
        return EntityRow.createTime(one.version(), left)
                        == EntityRow.createTime(other.version(), right)
                && Arrays.equals(
                        left,
                        CREATE_TIME_BYTES,
                        left.length,
                        right,
                        CREATE_TIME_BYTES,
                        right.length);
    }

    /** Makes the replica the primary: it accepts commits, and refuses those of the source. */
    ReplicationResponse promote(PromoteReplica request) {
        return perform(
                (_, before) -> {
                    Leadership known = before.getLeadership();
                    boolean sourceLost = request.getEpoch() == 0;
                    long epoch = sourceLost ? known.getEpoch() + 1 : request.getEpoch();
                    if (before.getRole() == ReplicaStatus.Role.PRIMARY
                            && before.getStream().equals(request.getStream())
                            && known.getLineage().equals(request.getLeadership().getLineage())
                            && request.getEpoch() == known.getEpoch()) {
                        return new Step.Answer(Outcome.DONE);
                    }
                    requirePromotable(before, epoch, request.getPosition());
                    if (!sourceLost) {
                        requireFollows(before, request);
                    }
                    return new Step.Commit(
                            before.toBuilder()
                                    .setRole(ReplicaStatus.Role.PRIMARY)
                                    .setLeadership(
                                            StoredStatus.leadership(known.getLineage(), epoch))
                                    .build(),
                            List.of());
                });
    }

    /** The position and the epoch are those of one source. */
    private void requireFollows(ReplicaStatus before, PromoteReplica request) {
        if (!before.getStream().equals(request.getStream())
                || !before.getLeadership().equals(request.getLeadership())) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} cannot be promoted: it follows another source.",
                    "database",
                    database.rows().name());
        }
    }

    private void requirePromotable(ReplicaStatus before, long epoch, long position) {
        String problem = null;
        if (before.getRole() != ReplicaStatus.Role.REPLICA) {
            problem = "is not a replica";
        } else if (before.getPartial()) {
            problem = "is a partial copy, with filters or masks";
        } else if (!before.getCopied() || before.getPosition() < before.getConsistentFrom()) {
            problem = "is not completely copied yet";
        } else if (epoch <= before.getLeadership().getEpoch()) {
            problem = "already follows a source of a later epoch";
        } else if (before.getPosition() < position) {
            problem = "does not have the last commits of the source yet";
        }
        if (problem != null) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} cannot be promoted: it {problem}.",
                    "database",
                    database.rows().name(),
                    "problem",
                    problem);
        }
    }

    /** Later requests and promotions with lower epochs are refused. */
    ReplicationResponse raise(RaiseEpoch request) {
        Leadership leader = request.getLeadership();
        return perform(
                (_, before) -> {
                    Outcome outcome = ReplicaFence.outcome(leader, before, name());
                    boolean follows =
                            before.getRole() == ReplicaStatus.Role.REPLICA
                                    && before.getStream().equals(request.getStream());
                    return outcome == Outcome.ELSEWHERE && follows
                            ? new Step.Commit(
                                    before.toBuilder().setLeadership(leader).build(), List.of())
                            : new Step.Answer(follows ? outcome : Outcome.FENCED);
                });
    }
}
