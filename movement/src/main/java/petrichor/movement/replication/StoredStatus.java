package petrichor.movement.replication;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.StoredEntities;
import petrichor.rpc.v1.Leadership;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;
import petrichor.transactions.WriteGate;

/**
 * The part of a database in a replication, as the content of its {@link WriteGate}: a commit that
 * changes it also decides whether the database accepts writes. Immutable.
 *
 * @param row as read; null if there is none
 */
record StoredStatus(@Nullable Row row, ReplicaStatus status) {
    // Not the compact form: its class file would lack the nullness of the row.
    StoredStatus(@Nullable Row row, ReplicaStatus status) {
        this.row = row;
        this.status = status;
    }

    static StoredStatus read(RowReader reader) {
        Row row = reader.get(WriteGate.row());
        try {
            return new StoredStatus(
                    row,
                    ReplicaStatus.parseFrom(
                            WriteGate.decode(row == null ? null : row.value()).content()));
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, damaged, "The stored state of a replication is damaged.");
        }
    }

    static Leadership leadership(String lineage, long epoch) {
        return Leadership.newBuilder()
                .setLineage(lineage)
                .setEpoch(epoch)
                .setHolder(UUID.randomUUID().toString())
                .build();
    }

    /** The write that replaces this status. */
    RowWrite next(ReplicaStatus next, String reason) {
        byte[] content = next.toByteArray();
        WriteGate gate =
                switch (next.getRole()) {
                    case NONE, PRIMARY, UNRECOGNIZED -> WriteGate.open(content);
                    // It maintains its own indexes.
                    case REPLICA -> new WriteGate(StoredEntities.indexRows(), reason, content);
                    case RETIRED -> new WriteGate(List.of(), reason, content);
                };
        return new RowWrite(WriteGate.row(), gate.encode(), row);
    }

    static String reason(String database, ReplicaStatus replica) {
        return "The database "
                + database
                + " is a replica of "
                + replica.getSource()
                + ": write there. If the source is lost, `petrichor replicate promote` makes this"
                + " database writable.";
    }

    /**
     * Commits this request together with the next status.
     *
     * @return false if the database has changed since it was read
     */
    static boolean committed(Database database, CommitRequest request, RowWrite status) {
        List<byte[]> conflicts = new ArrayList<>(request.conflictKeys());
        List<RowWrite> writes = new ArrayList<>(request.writes());
        // Conflict keys are compared with the writes of the same place.
        conflicts.addFirst(status.key());
        writes.addFirst(status);
        try {
            return switch (database.commit(
                            new CommitRequest(
                                    request.baseVersion(),
                                    request.readKeys(),
                                    request.readRanges(),
                                    conflicts,
                                    writes))
                    .join()) {
                case CommitResult.Committed _ -> true;
                case CommitResult.Conflict _ -> false;
                case CommitResult.Refused(PetrichorException reason) -> throw reason;
                case CommitResult.Unknown(PetrichorException reason) -> throw reason;
            };
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof PetrichorException cause ? cause : failed;
        }
    }
}
