package petrichor.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.MutationResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * One attempt to apply the mutations of a commit, computed at one version: the rows to write, and
 * the response to the client once the version of the commit is known. Confined to one thread.
 */
final class MutationBatch {
    private static final byte[] EMPTY = {};

    /** Entities have up to 1 MiB; memory is charged when they are read. */
    private static final int ROWS_PER_READ = 25;

    private final Database database;
    private final RowReader reader;
    private final Indexes indexes;
    private final long requestTime;
    private final MemoryBudget.Reservation memory;
    private final Map<Bytes, Target> targets = new LinkedHashMap<>();
    private final List<Outcome> outcomes = new ArrayList<>();
    private final List<RowWrite> writes = new ArrayList<>();
    private final List<byte[]> conflictKeys = new ArrayList<>();
    private final List<byte[]> readKeys = new ArrayList<>();
    private int indexUpdates;

    /** An entity, as its mutations change it. */
    private static final class Target {
        final @Nullable Row prior;
        private @Nullable Entity parsedPrior;
        private @Nullable Entity entity;
        boolean changed;
        boolean deletedBefore;

        Target(@Nullable Row prior) {
            this.prior = prior;
        }

        boolean exists() {
            return changed ? entity != null : prior != null;
        }

        @Nullable Entity entity() {
            return changed ? entity : priorEntity();
        }

        @Nullable Entity priorEntity() {
            if (parsedPrior == null && prior != null) {
                parsedPrior = EntityRow.entity(prior.value());
            }
            return parsedPrior;
        }

        /** Microseconds since 1970; 0 if the commit creates the entity. */
        long createTime() {
            return prior == null || deletedBefore
                    ? 0
                    : EntityRow.createTime(prior.version(), prior.value());
        }

        void become(@Nullable Entity next) {
            deletedBefore |= next == null;
            entity = next;
            changed = true;
        }
    }

    /** A result that lacks the version of the commit. */
    private record Outcome(MutationResult.Builder result, Effect effect, Target target) {}

    private enum Effect {
        WRITTEN,
        DELETED,
        NOTHING
    }

    private MutationBatch(Database database, RowReader reader, Indexes indexes, long requestTime) {
        this.database = database;
        this.reader = reader;
        this.indexes = indexes;
        this.requestTime = requestTime;
        this.memory = database.commitMemory().reservation();
        readKeys.add(Indexes.ROW);
    }

    /**
     * @param requestTime microseconds since 1970
     */
    static MutationBatch prepare(
            EntityDatabase database,
            RowReader reader,
            List<RequestedMutation> mutations,
            long requestTime) {
        MutationBatch batch =
                new MutationBatch(
                        database.rows(), reader, database.indexes().at(reader), requestTime);
        try (batch.memory) {
            batch.read(mutations);
            for (RequestedMutation mutation : mutations) {
                batch.apply(mutation);
            }
            batch.write();
        }
        return batch;
    }

    List<RowWrite> writes() {
        return writes;
    }

    /** Adds rows outside the entity layer, which conflict like entities. */
    void accompany(List<RowWrite> rows) {
        for (RowWrite row : rows) {
            writes.add(row);
            conflictKeys.add(row.key());
        }
    }

    /** The entity rows among the writes. */
    List<byte[]> conflictKeys() {
        return conflictKeys;
    }

    /**
     * Rows that the writes depend on in addition to {@link #conflictKeys}: the index catalog, and
     * rows expected to be absent. A transaction records these reads by itself.
     */
    List<byte[]> readKeys() {
        return readKeys;
    }

    int indexUpdates() {
        return indexUpdates;
    }

    private void read(List<RequestedMutation> mutations) {
        for (RequestedMutation mutation : mutations) {
            targets.put(mutation.row(), new Target(null));
        }
        List<byte[]> keys = targets.keySet().stream().map(Bytes::array).toList();
        for (int from = 0; from < keys.size(); from += ROWS_PER_READ) {
            List<byte[]> some = keys.subList(from, Math.min(keys.size(), from + ROWS_PER_READ));
            List<@Nullable Row> rows = reader.get(some);
            for (int i = 0; i < some.size(); i++) {
                Row row = rows.get(i);
                charge(row);
                targets.put(Bytes.of(some.get(i)), new Target(row));
            }
        }
    }

    /**
     * Charges a replaced row, which becomes history with the commit and is in memory until then.
     */
    private void charge(@Nullable Row replaced) {
        if (replaced != null && !memory.add(replaced.value().length)) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "The running commits replace more data than fits in memory; retry with backoff,"
                            + " or with fewer mutations.");
        }
    }

    private void apply(RequestedMutation requested) {
        Target target = targets.get(requested.row());
        if (target == null) {
            throw new IllegalStateException("all rows were read before");
        }
        Mutation mutation = requested.mutation();
        MutationResult.Builder result = MutationResult.newBuilder();
        if (requested.allocated()) {
            result.setKey(requested.key());
        }
        if (conflicts(mutation, requested, target)) {
            if (mutation.getConflictResolutionStrategy()
                    == Mutation.ConflictResolutionStrategy.FAIL) {
                throw PetrichorException.of(
                        ErrorCode.ABORTED,
                        "The entity {key} was changed after the version that the mutation is based"
                                + " on; read it again and repeat.",
                        "key",
                        KeyText.of(requested.key()));
            }
            result.setConflictDetected(true);
            outcomes.add(new Outcome(result, Effect.NOTHING, target));
            return;
        }
        switch (mutation.getOperationCase()) {
            case INSERT -> {
                if (target.exists()) {
                    throw PetrichorException.of(
                            ErrorCode.ALREADY_EXISTS,
                            "entity already exists: {key}",
                            "key",
                            KeyText.of(requested.key()));
                }
                write(requested, mutation.getInsert(), target, result);
            }
            case UPDATE -> {
                if (!target.exists()) {
                    throw PetrichorException.of(
                            ErrorCode.NOT_FOUND,
                            "no entity to update: {key}",
                            "key",
                            KeyText.of(requested.key()));
                }
                write(requested, mutation.getUpdate(), target, result);
            }
            case UPSERT -> write(requested, mutation.getUpsert(), target, result);
            case DELETE -> {
                boolean existed = target.exists();
                if (existed) {
                    target.become(null);
                }
                outcomes.add(
                        new Outcome(result, existed ? Effect.DELETED : Effect.NOTHING, target));
            }
            case OPERATION_NOT_SET ->
                    throw PetrichorException.invalid("A mutation has no operation.");
        }
    }

    private void write(
            RequestedMutation requested,
            Entity given,
            Target target,
            MutationResult.Builder result) {
        Mutation mutation = requested.mutation();
        Entity next = given;
        if (mutation.hasPropertyMask()) {
            Entity existing = target.entity();
            next =
                    Masks.merged(
                            existing == null
                                    ? Entity.newBuilder().setKey(requested.key()).build()
                                    : existing,
                            given,
                            mutation.getPropertyMask());
        }
        if (mutation.getPropertyTransformsCount() > 0) {
            Transforms.Transformed transformed =
                    Transforms.apply(next, mutation.getPropertyTransformsList(), requestTime);
            next = transformed.entity();
            result.addAllTransformResults(transformed.results());
            Validation.requireProperties(next);
        }
        requireSize(next, requested.key());
        target.become(next);
        outcomes.add(new Outcome(result, Effect.WRITTEN, target));
    }

    private static void requireSize(Entity entity, Key key) {
        if (entity.getSerializedSize() > Limits.ENTITY_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "entity is too big",
                    "entity",
                    KeyText.of(key),
                    "bytes",
                    entity.getSerializedSize(),
                    "limit",
                    Limits.ENTITY_BYTES_MAX);
        }
    }

    private boolean conflicts(Mutation mutation, RequestedMutation requested, Target target) {
        Row prior = target.prior;
        return switch (mutation.getConflictDetectionStrategyCase()) {
            case BASE_VERSION ->
                    prior == null
                            ? !wasMissing(requested.row().array(), mutation.getBaseVersion())
                            : prior.version() != mutation.getBaseVersion();
            case UPDATE_TIME ->
                    prior == null || prior.version() != ValueCodec.micros(mutation.getUpdateTime());
            case CONFLICTDETECTIONSTRATEGY_NOT_SET -> false;
        };
    }

    /**
     * A missing entity has the read version as its version, so a mutation based on that version is
     * up to date if the entity was missing then too.
     */
    private boolean wasMissing(byte[] row, long version) {
        if (version <= 0) {
            return true;
        }
        try (Snapshot then = database.snapshotAt(version)) {
            return then.get(row) == null;
        } catch (PetrichorException e) {
            // That version is no longer kept, or never existed.
            return false;
        }
    }

    private void write() {
        long bytes = 0;
        Indexing.Difference difference = new Indexing.Difference();
        for (Map.Entry<Bytes, Target> entry : targets.entrySet()) {
            Target target = entry.getValue();
            if (!target.changed || (target.prior == null && target.entity == null)) {
                continue;
            }
            byte[] row = entry.getKey().array();
            conflictKeys.add(row);
            byte[] value =
                    target.entity == null
                            ? null
                            : EntityRow.encode(target.createTime(), target.entity);
            writes.add(new RowWrite(row, value, target.prior));
            bytes += value == null ? 0 : value.length;
            Indexing.addDifference(target.priorEntity(), target.entity, indexes, difference);
        }
        if (bytes > Limits.COMMIT_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "The commit writes {bytes} bytes of entities; the limit is "
                            + Limits.COMMIT_BYTES_MAX
                            + ". Split it.",
                    "bytes",
                    bytes);
        }
        for (Bytes row : difference.added()) {
            writes.add(new RowWrite(row.array(), EMPTY, null));
        }
        remove(difference.removed());
        indexUpdates = difference.added().size() + difference.removed().size();
    }

    /**
     * A removed row becomes history with the version that wrote it, which may be older than the
     * entity's. A row of an index under construction may not exist yet; if it is added before this
     * commit, the commit must conflict, or the row would never be removed.
     */
    private void remove(Set<Bytes> removed) {
        List<byte[]> keys = removed.stream().map(Bytes::array).toList();
        List<@Nullable Row> rows = keys.isEmpty() ? List.of() : reader.get(keys);
        for (int i = 0; i < keys.size(); i++) {
            Row prior = rows.get(i);
            if (prior != null) {
                writes.add(new RowWrite(keys.get(i), null, prior));
            } else {
                readKeys.add(keys.get(i));
            }
        }
    }

    /** The results of all mutations, in order. */
    List<MutationResult> results(long commitVersion) {
        List<MutationResult> results = new ArrayList<>(outcomes.size());
        for (Outcome outcome : outcomes) {
            MutationResult.Builder result = outcome.result();
            Row prior = outcome.target().prior;
            switch (outcome.effect()) {
                case WRITTEN -> {
                    long created = outcome.target().createTime();
                    result.setVersion(commitVersion)
                            .setUpdateTime(ValueCodec.timestamp(commitVersion))
                            .setCreateTime(
                                    ValueCodec.timestamp(created == 0 ? commitVersion : created));
                }
                case DELETED -> result.setVersion(commitVersion);
                case NOTHING -> {
                    if (prior == null) {
                        result.setVersion(reader.version());
                    } else {
                        result.setVersion(prior.version())
                                .setUpdateTime(ValueCodec.timestamp(prior.version()))
                                .setCreateTime(
                                        ValueCodec.timestamp(
                                                EntityRow.createTime(
                                                        prior.version(), prior.value())));
                    }
                }
            }
            results.add(result.build());
        }
        return results;
    }
}
