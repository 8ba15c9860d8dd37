package petrichor.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * Writes entities in their stored form, with the time of their creation, and maintains their index
 * rows: for restores. Reserved keys are written, too. Stateless; the methods block.
 */
public final class StoredEntities {
    private static final int ATTEMPTS_MAX = 100;
    private static final byte[] EMPTY = {};

    private StoredEntities() {}

    /**
     * A state of an entity.
     *
     * @param row the key of its row; see {@link RowLayout#entityRow(Key)}
     * @param version the commit that wrote it
     * @param value its row; null if it was deleted
     */
    public record State(byte[] row, long version, byte @Nullable [] value) {
        // Not the compact form: its class file would lack the nullness of the value.
        public State(byte[] row, long version, byte @Nullable [] value) {
            if (!RowLayout.isEntity(row)) {
                throw PetrichorException.invalid("A row to be stored is not that of an entity.");
            }
            this.row = row;
            this.version = version;
            this.value = value;
        }
    }

    /** The counter of sequential ids, as a range of one row. */
    public static KeyRange counter() {
        return new KeyRange(SequentialIds.ROW, Bytes.successor(SequentialIds.ROW));
    }

    public static boolean isCounter(byte[] key) {
        return Arrays.equals(key, SequentialIds.ROW);
    }

    /** Prefixes of the rows that are written when composite indexes are created and built. */
    public static List<byte[]> indexRows() {
        return List.of(
                Indexes.ROW, RowLayout.metaRow(IndexBuilder.PROGRESS), RowLayout.compositePrefix());
    }

    /** Whether a row is the catalog of composite indexes. */
    public static boolean isIndexCatalog(byte[] key) {
        return Arrays.equals(key, Indexes.ROW);
    }

    /**
     * Writes all states in one commit, and reserves their numeric ids.
     *
     * @param states of different entities
     */
    public static void write(EntityDatabase database, List<State> states) {
        reserveIds(database, states);
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            try (Snapshot snapshot = database.rows().snapshot()) {
                CommitResult result =
                        database.rows().commit(request(database, snapshot, states)).join();
                switch (result) {
                    case CommitResult.Committed _ -> {
                        return;
                    }
                    case CommitResult.Conflict _ -> {}
                    case CommitResult.Refused(PetrichorException reason) -> throw reason;
                    case CommitResult.Unknown(PetrichorException reason) -> throw reason;
                }
            } catch (CompletionException failed) {
                throw failed.getCause() instanceof PetrichorException cause ? cause : failed;
            }
        }
        throw PetrichorException.of(
                ErrorCode.ABORTED,
                "Other clients write the same entities all the time; try again later.");
    }

    /** Excludes the numeric ids of these entities from those that the database allocates. */
    public static void reserveIds(EntityDatabase database, List<State> states) {
        List<Long> ids = new ArrayList<>();
        for (State state : states) {
            Key key = RowLayout.entityKey(database.project(), database.id(), state.row());
            for (Key.PathElement element : key.getPathList()) {
                if (element.hasId()) {
                    ids.add(element.getId());
                }
            }
        }
        if (!ids.isEmpty()) {
            database.rows().reserveIds(ids.stream().mapToLong(Long::longValue).toArray());
        }
    }

    /** The commit that writes all states, which conflicts with a change of the indexes. */
    public static CommitRequest request(
            EntityDatabase database, Snapshot snapshot, List<State> states) {
        Indexes indexes = database.indexes().at(snapshot);
        Indexing.Difference difference = new Indexing.Difference();
        List<byte[]> keys = states.stream().map(State::row).toList();
        List<@Nullable Row> priors = snapshot.get(keys);
        List<RowWrite> writes = new ArrayList<>();
        List<byte[]> reads = new ArrayList<>(List.of(Indexes.ROW));
        for (int i = 0; i < states.size(); i++) {
            State state = states.get(i);
            Row prior = priors.get(i);
            byte[] value = state.value();
            if (prior == null && value == null) {
                reads.add(state.row());
                continue;
            }
            Entity before = prior == null ? null : EntityRow.entity(prior.value());
            Entity after = value == null ? null : EntityRow.entity(value);
            Indexing.addDifference(before, after, indexes, difference);
            byte[] written = value == null ? null : withCreateTime(state.version(), value);
            writes.add(new RowWrite(state.row(), written, prior));
        }
        List<byte[]> conflicts = writes.stream().map(RowWrite::key).toList();
        for (Bytes row : difference.added()) {
            writes.add(new RowWrite(row.array(), EMPTY, null));
        }
        List<byte[]> removed = difference.removed().stream().map(Bytes::array).toList();
        List<@Nullable Row> former = removed.isEmpty() ? List.of() : snapshot.get(removed);
        for (int i = 0; i < removed.size(); i++) {
            Row row = former.get(i);
            if (row == null) {
                // Of an index that is being built; see MutationBatch.
                reads.add(removed.get(i));
            } else {
                writes.add(new RowWrite(removed.get(i), null, row));
            }
        }
        return new CommitRequest(snapshot.version(), reads, List.of(), conflicts, writes);
    }

    /** The row names its create time, which otherwise would become the version of the restore. */
    private static byte[] withCreateTime(long version, byte[] value) {
        byte[] written = value.clone();
        ByteBuffer.wrap(written).putLong(EntityRow.createTime(version, value));
        return written;
    }
}
