package petrichor.movement.backups;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.entities.CompositeIndex;
import petrichor.entities.EntityDatabase;
import petrichor.entities.IndexDefinition;
import petrichor.entities.IndexYaml;
import petrichor.entities.RowLayout;
import petrichor.entities.StoredEntities;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.rpc.v1.DeclareIndexes;
import petrichor.rpc.v1.ReadRowChanges;
import petrichor.rpc.v1.RowsRequest;
import petrichor.rpc.v1.RowsResponse;
import petrichor.rpc.v1.ScanRows;
import petrichor.rpc.v1.SplitRows;
import petrichor.tables.StoredTables;
import petrichor.transactions.ChangeFeed;
import petrichor.transactions.ChangedCommit;
import petrichor.transactions.Changes;
import petrichor.transactions.Row;
import petrichor.transactions.RowChange;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/**
 * Answers the requests of backups and restores for a database that this process owns. Thread-safe;
 * has no state.
 */
public record DatabaseRows(EntityDatabase database) implements RowsOwner {
    private static final String INDEXES = "indexes:\n";
    private static final int COMMITS_MAX = 1_000;
    private static final int CLEARED_ROWS = 500;
    private static final long BYTES_MAX = 4 << 20;

    @Override
    public RowsResponse ask(RowsRequest request) {
        return switch (request.getWhatCase()) {
            case DESCRIBE -> describe(request.getDescribe().getConsumer());
            case SPLIT -> split(request.getSplit());
            case SCAN -> scan(request.getScan());
            case CHANGES -> changes(request.getChanges());
            case HOLD -> {
                var _ =
                        feed().moveConsumer(
                                        request.getHold().getConsumer(),
                                        request.getHold().getPosition());
                yield RowsResponse.getDefaultInstance();
            }
            case STORE -> store(request.getStore().getRows());
            case DECLARE -> declare(request.getDeclare());
            case CLEAR -> clear();
            case WHAT_NOT_SET ->
                    throw PetrichorException.invalid(
                            "A request for stored rows is incomplete; do client and server run the"
                                    + " same version?");
        };
    }

    private ChangeFeed feed() {
        return database.rows().changes();
    }

    private RowsResponse describe(String consumer) {
        List<CompositeIndex> indexes = database.indexes().newest().all();
        try (Snapshot snapshot = database.rows().snapshot()) {
            return RowsResponse.newBuilder()
                    .setVersion(snapshot.version())
                    .setOldest(feed().oldest())
                    .setDeclaredIndexes(yaml(indexes, CompositeIndex.Origin.DECLARED))
                    .setAutomaticIndexes(yaml(indexes, CompositeIndex.Origin.AUTOMATIC))
                    .setOtherRows(hasOtherRows(snapshot))
                    .setConsumed(
                            feed().consumers().stream()
                                    .anyMatch(known -> known.name().equals(consumer)))
                    .build();
        }
    }

    /** Indexes of an origin as a list of index.yaml. */
    public static String yaml(List<CompositeIndex> indexes, CompositeIndex.Origin origin) {
        StringBuilder text = new StringBuilder();
        for (CompositeIndex index : indexes) {
            if (index.origin() == origin && index.state() != CompositeIndex.State.REMOVING) {
                text.append(index.definition().yaml());
            }
        }
        return text.isEmpty() ? "" : INDEXES + text;
    }

    /** Tasks, objects and others. */
    private static boolean hasOtherRows(Snapshot snapshot) {
        byte[] from = {};
        List<KeyRange> all = new ArrayList<>(RowLayout.ofEntities());
        all.add(StoredTables.rows());
        for (KeyRange known : all) {
            if (hasRows(snapshot, new KeyRange(from, known.from()))) {
                return true;
            }
            from = BackupFilter.end(known);
        }
        return hasRows(snapshot, new KeyRange(from, null));
    }

    private static boolean hasRows(Snapshot snapshot, KeyRange range) {
        try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
            return cursor.next();
        }
    }

    private RowsResponse split(SplitRows request) {
        try (Snapshot snapshot = database.rows().snapshotAt(request.getVersion())) {
            RowsResponse.Builder response = RowsResponse.newBuilder();
            for (KeyRange part : BackupFilter.ALL.ranges()) {
                for (byte[] key : new KeySplits(snapshot).of(part, request.getRanges())) {
                    response.addSplits(ByteString.copyFrom(key));
                }
            }
            return response.build();
        }
    }

    private RowsResponse scan(ScanRows request) {
        KeyRange range =
                new KeyRange(request.getFrom().toByteArray(), request.getTo().toByteArray());
        List<BackupRow> rows = new ArrayList<>();
        long bytes = 0;
        long bytesMax = Math.min(BYTES_MAX, request.getBytesMax());
        RowsResponse.Builder response = RowsResponse.newBuilder().setEnd(true);
        try (Snapshot snapshot = database.rows().snapshotAt(request.getVersion());
                RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
            while (cursor.next()) {
                BackupRow row = new BackupRow(cursor.key(), cursor.version(), cursor.value());
                if (!isBackedUp(row.key())) {
                    throw PetrichorException.invalid(
                            "Only rows of entities and tables can be read.");
                }
                rows.add(row);
                bytes += row.bytes();
                if (bytes >= bytesMax) {
                    response.setEnd(false).setNext(ByteString.copyFrom(Bytes.successor(row.key())));
                    break;
                }
            }
        }
        return withRows(response, rows).build();
    }

    private static boolean isBackedUp(byte[] key) {
        return RowLayout.isEntity(key) || StoredTables.contains(key);
    }

    private static RowsResponse.Builder withRows(
            RowsResponse.Builder response, List<BackupRow> rows) {
        return response.setRows(ByteString.copyFrom(RowBlock.encode(rows))).setCount(rows.size());
    }

    private RowsResponse changes(ReadRowChanges request) {
        Changes part =
                feed().after(
                                request.getPosition(),
                                COMMITS_MAX,
                                Math.min(BYTES_MAX, request.getBytesMax()));
        List<BackupRow> rows = new ArrayList<>();
        for (ChangedCommit commit : part.commits()) {
            if (commit.version() <= request.getUpTo()) {
                for (RowChange change : commit.rows()) {
                    if (isBackedUp(change.key())) {
                        Row after = change.after();
                        rows.add(
                                new BackupRow(
                                        change.key(),
                                        commit.version(),
                                        after == null ? null : after.value()));
                    }
                }
            }
        }
        long position = Math.min(part.position(), request.getUpTo());
        return withRows(RowsResponse.newBuilder(), rows)
                .setPosition(position)
                .setEnd(position >= request.getUpTo())
                .build();
    }

    private RowsResponse store(ByteString block) {
        List<StoredEntities.State> states = new ArrayList<>();
        List<StoredTables.Stored> tables = new ArrayList<>();
        for (BackupRow row : RowBlock.decode(ByteBuffer.wrap(block.toByteArray()))) {
            if (StoredTables.contains(row.key())) {
                tables.add(new StoredTables.Stored(row.key(), row.value()));
            } else {
                states.add(new StoredEntities.State(row.key(), row.version(), row.value()));
            }
        }
        if (!states.isEmpty()) {
            StoredEntities.write(database, states);
        }
        if (!tables.isEmpty()) {
            StoredTables.write(database.rows(), tables);
        }
        return RowsResponse.getDefaultInstance();
    }

    private RowsResponse clear() {
        List<StoredEntities.State> gone = new ArrayList<>();
        try (Snapshot snapshot = database.rows().snapshot();
                RowCursor cursor = snapshot.scan(RowLayout.entities(), Direction.FORWARD)) {
            while (gone.size() < CLEARED_ROWS && cursor.next()) {
                gone.add(new StoredEntities.State(cursor.key(), 0, null));
            }
        }
        if (!gone.isEmpty()) {
            StoredEntities.write(database, gone);
        }
        boolean tables = StoredTables.clear(database.rows(), CLEARED_ROWS);
        return RowsResponse.newBuilder().setEnd(gone.isEmpty() && !tables).build();
    }

    private RowsResponse declare(DeclareIndexes request) {
        declare(database, request.getDeclared(), request.getAutomatic());
        return RowsResponse.getDefaultInstance();
    }

    /** Creates missing indexes; returns when they can be read. */
    public static void declare(EntityDatabase database, String declared, String automatic) {
        database.indexes().declare(indexes(declared));
        for (IndexDefinition index : indexes(automatic)) {
            var _ = database.indexes().ensure(index);
        }
        database.indexes().finish();
    }

    private static List<IndexDefinition> indexes(String yaml) {
        return yaml.isEmpty() ? List.of() : IndexYaml.parse("the backup's index.yaml", yaml);
    }
}
