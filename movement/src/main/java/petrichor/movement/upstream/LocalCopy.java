package petrichor.movement.upstream;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.Key;
import com.google.protobuf.Timestamp;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityRow;
import petrichor.entities.RowLayout;
import petrichor.entities.StoredEntities;
import petrichor.kv.Direction;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.WriteGate;

/**
 * The database of this server: entities as the upstream has them, and the state of the move. Every
 * commit contains the state, so commits of a former owner or of concurrent steps conflict, and
 * passes the {@link WriteGate}, which is closed while the upstream leads. Thread-safe; blocks.
 */
final class LocalCopy {
    private static final byte[] STATE = {'Y', 'u'};
    private static final int ATTEMPTS_MAX = 100;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    private final DatabaseName name;
    private final EntityDatabases databases;

    /** Opens the database, again after it was recovered. */
    interface EntityDatabases {
        Datastore datastore();
    }

    LocalCopy(DatabaseName name, EntityDatabases databases) {
        this.name = name;
        this.databases = databases;
    }

    DatabaseName name() {
        return name;
    }

    EntityDatabase database() {
        return databases.datastore().databases().open(name.project(), name.database());
    }

    /** The stored state; null if there is none. */
    @Nullable UpstreamState state() {
        try (Snapshot snapshot = database().rows().snapshot()) {
            Row row = snapshot.get(STATE);
            return row == null ? null : UpstreamState.decode(row.value());
        }
    }

    /** UNAVAILABLE if the upstream does not lead as of this version: then no commit may be sent. */
    void requireCaptures(RowReader reader) {
        Row row = reader.get(STATE);
        if (row == null || !UpstreamState.decode(row.value()).phase().captures()) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "The database {database} was just switched; try again.",
                    "database",
                    name);
        }
    }

    /** Whether it has entities. */
    boolean empty() {
        try (Snapshot snapshot = database().rows().snapshot();
                RowCursor cursor = snapshot.scan(RowLayout.entities(), Direction.FORWARD)) {
            return !cursor.next();
        }
    }

    /**
     * States of entities that are stored together with the next state of the move.
     *
     * @param removed rows of {@link CapturedWrites} that these states settle
     */
    record Part(List<StoredEntities.State> entities, List<byte[]> removed) {
        static final Part NONE = new Part(List.of(), List.of());
    }

    /** Stores the part and the next state in one commit; returns the next state. */
    UpstreamState commit(Part part, UnaryOperator<UpstreamState> next) {
        EntityDatabase database = database();
        if (!part.entities().isEmpty()) {
            StoredEntities.reserveIds(database, part.entities());
        }
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            try (Snapshot snapshot = database.rows().snapshot()) {
                Row row = snapshot.get(STATE);
                UpstreamState state =
                        next.apply(
                                row == null
                                        ? UpstreamState.FORWARDING
                                        : UpstreamState.decode(row.value()));
                if (committed(database, request(database, snapshot, part, state, row))) {
                    return state;
                }
            }
        }
        throw PetrichorException.of(
                ErrorCode.ABORTED, "Others change the state of the move; try again.");
    }

    private CommitRequest request(
            EntityDatabase database,
            Snapshot snapshot,
            Part part,
            UpstreamState state,
            @Nullable Row stored) {
        List<byte[]> conflicts = new ArrayList<>();
        List<RowWrite> writes = new ArrayList<>();
        // Keys on which commits conflict come first, in the order of the writes.
        Row gate = snapshot.get(WriteGate.row());
        requireOwnGate(gate);
        writes.add(new RowWrite(WriteGate.row(), gate(state.phase()).encode(), gate));
        writes.add(new RowWrite(STATE, state.encode(), stored));
        for (byte[] captured : part.removed()) {
            Row row = snapshot.get(captured);
            if (row != null) {
                writes.add(new RowWrite(captured, null, row));
            }
        }
        writes.forEach(write -> conflicts.add(write.key()));
        List<byte[]> reads = new ArrayList<>();
        if (!part.entities().isEmpty()) {
            CommitRequest entities = StoredEntities.request(database, snapshot, part.entities());
            conflicts.addAll(entities.conflictKeys());
            writes.addAll(entities.writes());
            reads.addAll(entities.readKeys());
        }
        return new CommitRequest(snapshot.version(), reads, List.of(), conflicts, writes);
    }

    /** A replica keeps its own state in the gate. */
    private void requireOwnGate(@Nullable Row gate) {
        if (gate != null && WriteGate.decode(gate.value()).content().length > 0) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} is replicated, so it cannot move from an upstream; end"
                            + " the replication, or use another data folder.",
                    "database",
                    name);
        }
    }

    private WriteGate gate(UpstreamPhase phase) {
        return switch (phase) {
            case FORWARDING, COPY, CATCH_UP, VERIFY, READY ->
                    closed(
                            "The upstream has the database "
                                    + name
                                    + ": only the Datastore API writes to it, through a server that"
                                    + " was started with --upstream, until `petrichor upstream"
                                    + " switch`.");
            case REVERSING ->
                    closed(
                            "The database "
                                    + name
                                    + " is being switched to its upstream; try again.");
            case REVERSIBLE, COMPLETED -> WriteGate.open(new byte[0]);
        };
    }

    /** Closed for entities, not for what other services keep in the database. */
    private static WriteGate closed(String reason) {
        List<byte[]> exempt = new ArrayList<>(StoredEntities.indexRows());
        for (byte first = 'A'; first <= 'z'; first++) {
            if (Character.isLetter(first) && !RowLayout.isOfEntities(first) && first != 'Y') {
                exempt.add(new byte[] {first});
            }
        }
        exempt.add(CapturedWrites.PREFIX);
        return new WriteGate(exempt, reason, new byte[0]);
    }

    /** False if what it read was changed meanwhile. */
    static boolean committed(EntityDatabase database, CommitRequest request) {
        try {
            return switch (database.rows().commit(request).join()) {
                case CommitResult.Committed _ -> true;
                case CommitResult.Conflict _ -> false;
                case CommitResult.Refused(PetrichorException reason) -> throw reason;
                case CommitResult.Unknown(PetrichorException reason) -> throw reason;
            };
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof PetrichorException cause ? cause : failed;
        }
    }

    /** An entity of the upstream as it is stored here, with the time of its creation. */
    StoredEntities.State stored(EntityResult result) {
        Entity entity = own(result.getEntity());
        byte[] bytes = entity.toByteArray();
        byte[] value =
                ByteBuffer.allocate(Long.BYTES + bytes.length)
                        .putLong(micros(result.getCreateTime()))
                        .put(bytes)
                        .array();
        return new StoredEntities.State(RowLayout.entityRow(entity.getKey()), 0, value);
    }

    StoredEntities.State deleted(Key key) {
        return new StoredEntities.State(RowLayout.entityRow(key), 0, null);
    }

    /** The entity with the names of this database in its key. */
    Entity own(Entity entity) {
        Key key = own(entity.getKey());
        return key.equals(entity.getKey()) ? entity : entity.toBuilder().setKey(key).build();
    }

    Key own(Key key) {
        return key.toBuilder()
                .setPartitionId(name.partition(key.getPartitionId().getNamespaceId()))
                .build();
    }

    private static long micros(Timestamp time) {
        return time.getSeconds() * MICROS_PER_SECOND + time.getNanos() / NANOS_PER_MICRO;
    }

    // Reads

    /** One result per row, in their order. */
    List<@Nullable Entity> entities(List<byte[]> rows) {
        List<@Nullable Entity> found = new ArrayList<>();
        try (Snapshot snapshot = database().rows().snapshot()) {
            for (Row row : snapshot.get(rows)) {
                found.add(row == null ? null : EntityRow.entity(row.value()));
            }
        }
        return found;
    }

    /** Rows of up to {@code most} entities; empty if there are none. */
    List<byte[]> someRows(int most) {
        List<byte[]> rows = new ArrayList<>();
        try (Snapshot snapshot = database().rows().snapshot();
                RowCursor cursor = snapshot.scan(RowLayout.entities(), Direction.FORWARD)) {
            while (rows.size() < most && cursor.next()) {
                rows.add(cursor.key());
            }
        }
        return rows;
    }

    <T> T read(RowReads<T> reads) {
        try (Snapshot snapshot = database().rows().snapshot()) {
            return reads.of(snapshot);
        }
    }

    interface RowReads<T> {
        T of(RowReader reader);
    }
}
