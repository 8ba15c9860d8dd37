package petrichor.entities;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Mutation.OperationCase;
import com.google.datastore.v1.PropertyTransform;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;

/**
 * A validated mutation with its complete key.
 *
 * @param row key of the entity's row
 * @param allocated whether this server allocated the id of the key
 */
record RequestedMutation(Mutation mutation, Key key, Bytes row, boolean allocated) {
    /** Operations that must not follow an operation on the same entity in one commit. */
    private static final Map<OperationCase, Set<OperationCase>> MUST_NOT_FOLLOW =
            new EnumMap<>(
                    Map.of(
                            OperationCase.INSERT,
                            Set.of(
                                    OperationCase.INSERT,
                                    OperationCase.UPDATE,
                                    OperationCase.UPSERT),
                            OperationCase.UPDATE,
                            Set.of(OperationCase.DELETE)));

    /** Who may write which keys. */
    enum Writer {
        /** All keys but reserved ones. */
        CLIENT,
        /** All keys. */
        PLATFORM
    }

    /** Validates all mutations of a request and allocates ids for incomplete keys. */
    static List<RequestedMutation> of(EntityDatabase database, CommitRequest request) {
        return of(database, request, Writer.CLIENT);
    }

    static List<RequestedMutation> of(
            EntityDatabase database, CommitRequest request, Writer writer) {
        List<RequestedMutation> checked = new ArrayList<>(request.getMutationsCount());
        for (Mutation mutation : request.getMutationsList()) {
            checked.add(checked(database, mutation, writer));
        }
        List<RequestedMutation> complete = withIds(database, checked);
        requireOrder(complete, request.getMode() == CommitRequest.Mode.NON_TRANSACTIONAL);
        return complete;
    }

    private static RequestedMutation checked(
            EntityDatabase database, Mutation mutation, Writer writer) {
        Validation.Completeness completeness =
                switch (mutation.getOperationCase()) {
                    case INSERT, UPSERT -> Validation.Completeness.EITHER;
                    case UPDATE, DELETE -> Validation.Completeness.COMPLETE;
                    case OPERATION_NOT_SET ->
                            throw PetrichorException.invalid(
                                    "A mutation must have an operation: insert, update, upsert or"
                                            + " delete.");
                };
        requireStrategy(mutation);
        Key given = mutation.hasDelete() ? mutation.getDelete() : entity(mutation).getKey();
        Key key = Validation.ownKey(database.project(), database.id(), given, completeness);
        if (writer == Writer.CLIENT) {
            Validation.requireWritable(key);
        }
        if (!mutation.hasDelete()) {
            Validation.requireProperties(entity(mutation));
            mutation = filled(mutation, new KeyValues(database.project(), database.id()));
        }
        if (incomplete(key)) {
            return new RequestedMutation(mutation, key, Bytes.of(new byte[0]), true);
        }
        return complete(mutation, given, key, false);
    }

    private static Mutation filled(Mutation mutation, KeyValues keys) {
        Entity given = entity(mutation);
        Entity entity = keys.filled(given);
        Mutation.Builder changed = null;
        if (!entity.equals(given)) {
            changed = mutation.toBuilder();
            switch (mutation.getOperationCase()) {
                case INSERT -> changed.setInsert(entity);
                case UPDATE -> changed.setUpdate(entity);
                case UPSERT -> changed.setUpsert(entity);
                case DELETE, OPERATION_NOT_SET -> {}
            }
        }
        for (int i = 0; i < mutation.getPropertyTransformsCount(); i++) {
            PropertyTransform transform = keys.filled(mutation.getPropertyTransforms(i));
            if (!transform.equals(mutation.getPropertyTransforms(i))) {
                changed = changed == null ? mutation.toBuilder() : changed;
                changed.setPropertyTransforms(i, transform);
            }
        }
        return changed == null ? mutation : changed.build();
    }

    private static void requireStrategy(Mutation mutation) {
        boolean detects =
                mutation.getConflictDetectionStrategyCase()
                        != Mutation.ConflictDetectionStrategyCase.CONFLICTDETECTIONSTRATEGY_NOT_SET;
        if (!detects
                && mutation.getConflictResolutionStrategy()
                        != Mutation.ConflictResolutionStrategy.STRATEGY_UNSPECIFIED) {
            throw PetrichorException.invalid(
                    "conflict_resolution_strategy needs a base_version or an update_time to detect"
                            + " conflicts by.");
        }
        if (mutation.hasDelete() && mutation.getPropertyTransformsCount() > 0) {
            throw PetrichorException.invalid("A delete can't have property_transforms.");
        }
    }

    private static List<RequestedMutation> withIds(
            EntityDatabase database, List<RequestedMutation> mutations) {
        int missing = (int) mutations.stream().filter(RequestedMutation::allocated).count();
        if (missing == 0) {
            return mutations;
        }
        long[] ids = database.rows().allocateIds(missing);
        List<RequestedMutation> complete = new ArrayList<>(mutations.size());
        int next = 0;
        for (RequestedMutation mutation : mutations) {
            complete.add(
                    mutation.allocated()
                            ? complete(
                                    mutation.mutation,
                                    mutation.key,
                                    withId(mutation.key, ids[next++]),
                                    true)
                            : mutation);
        }
        return complete;
    }

    static Key withId(Key key, long id) {
        int last = key.getPathCount() - 1;
        return key.toBuilder().setPath(last, key.getPath(last).toBuilder().setId(id)).build();
    }

    private static boolean incomplete(Key key) {
        return key.getPath(key.getPathCount() - 1).getIdTypeCase()
                == Key.PathElement.IdTypeCase.IDTYPE_NOT_SET;
    }

    private static RequestedMutation complete(
            Mutation mutation, Key given, Key key, boolean allocated) {
        Mutation withKey = given.equals(key) ? mutation : withKey(mutation, key);
        return new RequestedMutation(withKey, key, Bytes.of(RowLayout.entityRow(key)), allocated);
    }

    private static Entity entity(Mutation mutation) {
        return switch (mutation.getOperationCase()) {
            case INSERT -> mutation.getInsert();
            case UPDATE -> mutation.getUpdate();
            case UPSERT -> mutation.getUpsert();
            case DELETE, OPERATION_NOT_SET ->
                    throw new IllegalArgumentException("has no entity: " + mutation);
        };
    }

    private static Mutation withKey(Mutation mutation, Key key) {
        Mutation.Builder changed = mutation.toBuilder();
        switch (mutation.getOperationCase()) {
            case INSERT -> changed.getInsertBuilder().setKey(key);
            case UPDATE -> changed.getUpdateBuilder().setKey(key);
            case UPSERT -> changed.getUpsertBuilder().setKey(key);
            case DELETE -> changed.setDelete(key);
            case OPERATION_NOT_SET -> {}
        }
        return changed.build();
    }

    private static void requireOrder(List<RequestedMutation> mutations, boolean each) {
        Map<Bytes, OperationCase> last = new HashMap<>();
        for (RequestedMutation requested : mutations) {
            OperationCase operation = requested.mutation.getOperationCase();
            OperationCase before = last.put(requested.row, operation);
            if (before == null) {
                continue;
            }
            if (each) {
                throw PetrichorException.invalid(
                        "A non-transactional commit may not contain multiple mutations affecting"
                                + " the same entity: {key}.",
                        "key",
                        KeyText.of(requested.key));
            }
            if (MUST_NOT_FOLLOW.getOrDefault(operation, Set.of()).contains(before)) {
                throw PetrichorException.invalid(
                        "In one commit, {operation} must not follow {previous} of the same entity:"
                                + " {key}.",
                        "operation",
                        operation.name().toLowerCase(Locale.ROOT),
                        "previous",
                        before.name().toLowerCase(Locale.ROOT),
                        "key",
                        KeyText.of(requested.key));
            }
        }
    }
}
