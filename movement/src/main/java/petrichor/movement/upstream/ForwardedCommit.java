package petrichor.movement.upstream;

import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import petrichor.entities.Validation;

/**
 * A commit as the upstream gets it: its incomplete keys are completed first, so that all keys that
 * it writes are known before it is sent.
 *
 * @param allocated completed keys by the number of their mutation
 * @param keys of all mutations
 */
record ForwardedCommit(CommitRequest request, Map<Integer, Key> allocated, List<Key> keys) {
    private static final int ALLOCATED_MAX = 500;

    static ForwardedCommit of(CommitRequest request, LocalCopy local, UpstreamClient client) {
        Map<Integer, Key> incomplete = new LinkedHashMap<>();
        for (int i = 0; i < request.getMutationsCount(); i++) {
            Mutation mutation = request.getMutations(i);
            if (mutation.hasInsert() || mutation.hasUpsert()) {
                Key key = key(mutation);
                if (isIncomplete(key)) {
                    incomplete.put(i, key);
                }
            }
        }
        Map<Integer, Key> allocated = allocated(incomplete, local, client);
        CommitRequest.Builder sent = request.toBuilder();
        allocated.forEach((number, key) -> sent.setMutations(number, with(request, number, key)));
        Set<Key> keys = new LinkedHashSet<>();
        for (Mutation mutation : sent.getMutationsList()) {
            Key key = key(mutation);
            if (key.getPathCount() > 0) {
                Validation.requireKey(key, Validation.Completeness.COMPLETE);
                keys.add(local.own(key));
            }
        }
        return new ForwardedCommit(sent.build(), allocated, List.copyOf(keys));
    }

    private static boolean isIncomplete(Key key) {
        return key.getPathCount() > 0
                && key.getPath(key.getPathCount() - 1).getIdTypeCase()
                        == Key.PathElement.IdTypeCase.IDTYPE_NOT_SET;
    }

    private static Key key(Mutation mutation) {
        return switch (mutation.getOperationCase()) {
            case INSERT -> mutation.getInsert().getKey();
            case UPDATE -> mutation.getUpdate().getKey();
            case UPSERT -> mutation.getUpsert().getKey();
            case DELETE -> mutation.getDelete();
            case OPERATION_NOT_SET -> Key.getDefaultInstance();
        };
    }

    private static Map<Integer, Key> allocated(
            Map<Integer, Key> incomplete, LocalCopy local, UpstreamClient client) {
        List<Integer> numbers = new ArrayList<>(incomplete.keySet());
        List<Key> keys = new ArrayList<>(incomplete.values());
        Map<Integer, Key> allocated = new LinkedHashMap<>();
        for (int from = 0; from < keys.size(); from += ALLOCATED_MAX) {
            List<Key> part = keys.subList(from, Math.min(keys.size(), from + ALLOCATED_MAX));
            List<Key> complete =
                    client.allocateIds(
                                    local.name(),
                                    AllocateIdsRequest.newBuilder()
                                            .setProjectId(local.name().project())
                                            .setDatabaseId(local.name().database())
                                            .addAllKeys(part)
                                            .build())
                            .getKeysList();
            for (int i = 0; i < complete.size(); i++) {
                allocated.put(numbers.get(from + i), complete.get(i));
            }
        }
        return allocated;
    }

    private static Mutation with(CommitRequest request, int number, Key key) {
        Mutation mutation = request.getMutations(number);
        Mutation.Builder complete = mutation.toBuilder();
        if (mutation.hasInsert()) {
            complete.setInsert(with(mutation.getInsert(), key));
        } else {
            complete.setUpsert(with(mutation.getUpsert(), key));
        }
        return complete.build();
    }

    private static Entity with(Entity entity, Key key) {
        return entity.toBuilder().setKey(key).build();
    }

    /** The response for the client, with the allocated keys. */
    CommitResponse answered(CommitResponse response) {
        CommitResponse.Builder answer = response.toBuilder();
        allocated.forEach(
                (number, key) -> {
                    if (number < answer.getMutationResultsCount()) {
                        answer.getMutationResultsBuilder(number).setKey(key);
                    }
                });
        return answer.build();
    }
}
