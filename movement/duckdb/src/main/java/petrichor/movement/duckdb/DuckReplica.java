package petrichor.movement.duckdb;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.movement.backups.BackupRow;
import petrichor.movement.replication.ReplicaBatch;
import petrichor.movement.replication.ReplicaFence;
import petrichor.movement.replication.ReplicationOwner;
import petrichor.movement.replication.RowPayload;
import petrichor.rpc.v1.ApplyChanges;
import petrichor.rpc.v1.BeginReplica;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;
import petrichor.rpc.v1.ReplicationResponse.Outcome;
import petrichor.rpc.v1.StoreRange;

/**
 * A replica in a DuckDB file. One transaction of DuckDB applies a batch and stores the position
 * after it, so each transaction of the source is applied whole and once. The file is closed between
 * batches, and the next batch waits for the interval: only then can other programs open it. With
 * Parquet files, it is the state from which they are written, and stays open.
 *
 * <p>Thread-safe; requests run one after the other.
 */
public final class DuckReplica implements ReplicationOwner, AutoCloseable {
    /** Batches of at least this size do not wait: the replica is behind. */
    private static final int BEHIND_BYTES = 512 << 10;

    private final Path path;
    private final Duration interval;
    private final Optional<ParquetFiles> parquet;
    private @Nullable DuckFile open;
    private @Nullable ReplicaStatus known;
    private long appliedNanos;
    private boolean applied;

    /**
     * @param interval between two batches, or between two sets of Parquet files
     * @param parquet where they are written; empty for none
     */
    public DuckReplica(Path path, Duration interval, Optional<ParquetFiles> parquet) {
        this.path = path;
        this.interval = interval;
        this.parquet = parquet;
    }

    /** What a request makes of the replica, within a transaction of the file. */
    private interface Change {
        /** Null if nothing changes; then it has written nothing. */
        @Nullable ReplicaStatus of(DuckFile file, ReplicaStatus before);
    }

    @Override
    public synchronized ReplicationResponse ask(ReplicationRequest request) {
        return switch (request.getWhatCase()) {
            case DESCRIBE -> described();
            case BEGIN -> begin(request.getBegin());
            case RANGE -> range(request.getRange());
            case APPLY -> apply(request.getApply());
            case PROMOTE, RAISE ->
                    throw PetrichorException.of(
                            ErrorCode.FAILED_PRECONDITION,
                            "The replica {file} is a file, and cannot become the primary.",
                            "file",
                            path);
            case LEAD, READ, COPY, HOLD, DROP, FENCE, REOPEN, WHAT_NOT_SET ->
                    throw PetrichorException.invalid("A file is no source of a replication.");
        };
    }

    private static ReplicationResponse response(Outcome outcome, ReplicaStatus status) {
        return ReplicationResponse.newBuilder().setOutcome(outcome).setStatus(status).build();
    }

    private ReplicationResponse described() {
        ReplicaStatus status = known;
        if (status == null) {
            if (open == null && !Files.exists(path)) {
                // To open it would create it, also for a mere look at the target.
                DuckFile.prepare(path);
                return response(Outcome.DONE, ReplicaStatus.getDefaultInstance());
            }
            try {
                status = read(opened());
            } finally {
                release();
            }
        } else if (parquet.isPresent()) {
            publish(opened(), status);
        }
        return response(Outcome.DONE, status);
    }

    private DuckFile opened() {
        DuckFile file = open;
        if (file == null) {
            file = DuckFile.open(path);
            open = file;
        }
        return file;
    }

    /** Other programs may read a complete copy. */
    private void release() {
        ReplicaStatus status = known;
        boolean copying = status != null && status.getRole() == ReplicaStatus.Role.REPLICA;
        copying &= status == null || !isComplete(status);
        if (parquet.isEmpty() && !copying) {
            close();
        }
    }

    private static boolean isComplete(ReplicaStatus status) {
        return status.getCopied() && status.getPosition() >= status.getConsistentFrom();
    }

    private ReplicationResponse changed(Outcome refused, Change change) {
        DuckFile file = opened();
        boolean committed = false;
        try {
            ReplicaStatus before = read(file);
            ReplicaStatus next = change.of(file, before);
            if (next == null) {
                return response(refused, before);
            }
            store(file, next);
            file.commit();
            committed = true;
            known = next;
            publish(file, next);
            return response(Outcome.DONE, next);
        } finally {
            if (committed) {
                release();
            } else {
                // A failed transaction ends with its connection, in any state.
                known = null;
                close();
            }
        }
    }

    private void publish(DuckFile file, ReplicaStatus status) {
        if (isComplete(status)) {
            parquet.ifPresent(files -> files.publish(file, status, interval));
            file.rollback();
        }
    }

    private ReplicaStatus read(DuckFile file) {
        file.run("CREATE SCHEMA IF NOT EXISTS petrichor");
        file.run(
                "CREATE TABLE IF NOT EXISTS petrichor.replication (source VARCHAR, position BIGINT,"
                        + " committed TIMESTAMP, complete BOOLEAN, status BLOB)");
        List<byte[]> stored =
                file.query("SELECT status FROM petrichor.replication", row -> row.getBytes(1));
        try {
            ReplicaStatus status =
                    stored.isEmpty()
                            ? ReplicaStatus.getDefaultInstance()
                            : ReplicaStatus.parseFrom(stored.getFirst());
            known = status;
            return status;
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    damaged,
                    "The state in the replica {file} is damaged; delete the file.",
                    "file",
                    path);
        }
    }

    private static void store(DuckFile file, ReplicaStatus status) {
        file.run("DELETE FROM petrichor.replication");
        file.run(
                "INSERT INTO petrichor.replication VALUES (?, ?, make_timestamp(?), ?, ?)",
                status.getSource(),
                status.getPosition(),
                status.getPosition(),
                isComplete(status),
                status.toByteArray());
    }

    private ReplicationResponse begin(BeginReplica request) {
        Outcome[] outcome = {Outcome.DONE};
        return changed(
                Outcome.FENCED,
                (file, before) -> {
                    if (before.getRole() == ReplicaStatus.Role.NONE) {
                        requireNoTables(file);
                    } else {
                        outcome[0] =
                                ReplicaFence.outcome(
                                        request.getLeadership(), before, path.toString());
                    }
                    if (outcome[0] == Outcome.FENCED) {
                        return null;
                    }
                    parquet.ifPresent(
                            files -> files.requireOwn(request.getLeadership().getLineage()));
                    if (!before.getStream().equals(request.getStream())) {
                        // It may have selected other rows.
                        CopyCatalog catalog = CopyCatalog.read(file);
                        catalog.all().forEach(catalog::drop);
                        file.run("DROP TABLE IF EXISTS petrichor.catalog");
                    }
                    return ReplicaStatus.newBuilder()
                            .setRole(ReplicaStatus.Role.REPLICA)
                            .setLeadership(request.getLeadership())
                            .setStream(request.getStream())
                            .setSource(request.getSource())
                            .setPosition(request.getPosition())
                            // It cannot be promoted.
                            .setPartial(true)
                            .setDuplicates(before.getDuplicates())
                            .build();
                });
    }

    private void requireNoTables(DuckFile file) {
        List<String> tables =
                file.query(
                        "SELECT table_schema || '.' || table_name FROM information_schema.tables"
                                + " WHERE table_schema <> 'petrichor' LIMIT 1",
                        row -> row.getString(1));
        if (!tables.isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The file {file} has tables that are not those of a replica, such as {table};"
                            + " name a new file in the file of targets.",
                    "file",
                    path,
                    "table",
                    tables.getFirst());
        }
    }

    private ReplicationResponse range(StoreRange request) {
        List<BackupRow> rows = new RowPayload(request.getRows(), request.getRawBytes()).rows();
        ReplicaStatus present = described().getStatus();
        Outcome outcome =
                ReplicaFence.outcome(
                        request.getLeadership(), request.getStream(), present, path.toString());
        if (outcome != Outcome.DONE) {
            return response(outcome, present);
        }
        return changed(
                Outcome.ELSEWHERE,
                (file, before) -> {
                    if (before.getCopied()
                            || !before.getStream().equals(request.getStream())
                            || !request.getFrom().equals(before.getCopiedTo())) {
                        return null;
                    }
                    ByteString to = request.getTo();
                    CopyWriter writer =
                            new CopyWriter(file, CopyCatalog.read(file), request.getVersion());
                    writer.range(
                            request.getFrom().toByteArray(),
                            to.isEmpty() ? null : to.toByteArray(),
                            rows);
                    writer.finish();
                    return before.toBuilder()
                            .setCopied(to.isEmpty())
                            .setCopiedTo(to)
                            .setConsistentFrom(
                                    Math.max(before.getConsistentFrom(), request.getVersion()))
                            .setRows(before.getRows() + rows.size())
                            .build();
                });
    }

    private ReplicationResponse apply(ApplyChanges request) {
        List<BackupRow> rows = new RowPayload(request.getRows(), request.getRawBytes()).rows();
        ReplicaStatus present = described().getStatus();
        Outcome outcome =
                ReplicaFence.outcome(
                        request.getLeadership(), request.getStream(), present, path.toString());
        if (outcome != Outcome.DONE) {
            return response(outcome, present);
        }
        if (!present.getCopied() || request.getFrom() > present.getPosition()) {
            return response(Outcome.ELSEWHERE, present);
        }
        if (!ReplicaBatch.of(rows, request.getTo(), present).isNew()) {
            return response(Outcome.DONE, present);
        }
        awaitInterval(request.getRawBytes());
        ReplicationResponse response =
                changed(
                        Outcome.ELSEWHERE,
                        (file, before) -> {
                            if (!before.equals(present)) {
                                return null;
                            }
                            ReplicaBatch batch = ReplicaBatch.of(rows, request.getTo(), before);
                            return written(file, batch, before);
                        });
        appliedNanos = System.nanoTime();
        applied = true;
        return response.getStatus().getCopied()
                ? response
                : response(Outcome.ELSEWHERE, response.getStatus());
    }

    private ReplicaStatus written(DuckFile file, ReplicaBatch batch, ReplicaStatus before) {
        CopyCatalog catalog = CopyCatalog.read(file);
        CopyWriter writer = new CopyWriter(file, catalog, batch.next().getPosition());
        CopyTable misfit = writer.changes(batch.rows());
        if (misfit == null) {
            writer.finish();
            return batch.next();
        }
        // Its rows have other columns now. Without a stream, another copy begins, at the newest
        // position: the change itself is not replayed.
        return before.toBuilder()
                .setStream("")
                .setCopied(false)
                .setCopiedTo(ByteString.EMPTY)
                .build();
    }

    /** Gives other programs the time to open the file. */
    private void awaitInterval(int bytes) {
        if (!applied || bytes >= BEHIND_BYTES || parquet.isPresent()) {
            return;
        }
        long left = interval.toNanos() - (System.nanoTime() - appliedNanos);
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, left);
            left = interval.toNanos() - (System.nanoTime() - appliedNanos);
        }
    }

    @Override
    public synchronized void close() {
        DuckFile file = open;
        open = null;
        if (file != null) {
            file.close();
        }
    }
}
