package petrichor.frontends.appengine.datastore;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.TransactionOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import petrichor.entities.Datastore;
import petrichor.entities.Limits;

/**
 * Writes outside transactions. The writes of a call to one entity group take effect together; this
 * API does not limit their number, so a call with many bytes becomes several commits, each of whole
 * groups where they fit. Immutable.
 */
record GroupCommits(Supplier<Datastore> datastore, String project) {
    /** Entities also have a header in their rows. */
    private static final int BYTES_PER_COMMIT = Limits.COMMIT_BYTES_MAX / 10 * 9;

    /**
     * @param versions of the written entities, in the order of the request
     */
    record Result(List<Long> versions, int indexUpdates) {}

    /** The root of an entity group. */
    private record Group(String namespace, Key.PathElement root) {}

    Result commit(List<Key> keys, List<Mutation> mutations) {
        Map<Group, List<Integer>> groups = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            Key key = keys.get(i);
            groups.computeIfAbsent(
                            new Group(key.getPartitionId().getNamespaceId(), key.getPath(0)),
                            _ -> new ArrayList<>())
                    .add(i);
        }
        Long[] versions = new Long[keys.size()];
        int indexUpdates = 0;
        List<Integer> places = new ArrayList<>();
        long bytes = 0;
        for (List<Integer> group : groups.values()) {
            long groupBytes = 0;
            for (int place : group) {
                groupBytes += mutations.get(place).getSerializedSize();
            }
            boolean fits = bytes + groupBytes <= BYTES_PER_COMMIT;
            if (!fits && !places.isEmpty()) {
                indexUpdates += commit(places, mutations, versions);
                bytes = 0;
            }
            for (int place : group) {
                long next = mutations.get(place).getSerializedSize();
                if (bytes + next > BYTES_PER_COMMIT && !places.isEmpty()) {
                    indexUpdates += commit(places, mutations, versions);
                    bytes = 0;
                }
                places.add(place);
                bytes += next;
            }
        }
        indexUpdates += commit(places, mutations, versions);
        return new Result(List.of(versions), indexUpdates);
    }

    /** Returns the number of index updates; clears the places. */
    private int commit(List<Integer> places, List<Mutation> mutations, Long[] versions) {
        CommitResponse response =
                Outcomes.await(
                        datastore
                                .get()
                                .commit(
                                        CommitRequest.newBuilder()
                                                .setProjectId(project)
                                                .setMode(CommitRequest.Mode.TRANSACTIONAL)
                                                .setSingleUseTransaction(
                                                        TransactionOptions.newBuilder()
                                                                .setReadWrite(
                                                                        TransactionOptions.ReadWrite
                                                                                .getDefaultInstance()))
                                                .addAllMutations(
                                                        places.stream()
                                                                .map(mutations::get)
                                                                .toList())
                                                .build()));
        for (int i = 0; i < places.size(); i++) {
            versions[places.get(i)] = response.getMutationResults(i).getVersion();
        }
        places.clear();
        return response.getIndexUpdates();
    }
}
