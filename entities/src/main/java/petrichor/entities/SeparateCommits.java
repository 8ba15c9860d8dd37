package petrichor.entities;

import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.MutationResult;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;

/**
 * Commits the mutations of one request separately for each entity: one that fails, or waits for a
 * lock, does not prevent others from being applied. Attempts all of them; if any failed, the
 * response is the first failure. Confined to one thread, which waits.
 */
final class SeparateCommits {
    /** Maximum number of concurrent commits waiting for locks or for the committer. */
    private static final int AT_ONCE_MAX = 100;

    private final Function<List<RequestedMutation>, CompletableFuture<CommitResponse>> commit;
    private final List<RequestedMutation> mutations;
    private final @Nullable MutationResult[] results;
    private int indexUpdates;
    private @Nullable Timestamp commitTime;
    private @Nullable PetrichorException failure;
    private int firstFailed = Integer.MAX_VALUE;
    private int failed;

    /**
     * @param commit the mutations of one entity
     */
    SeparateCommits(
            Function<List<RequestedMutation>, CompletableFuture<CommitResponse>> commit,
            List<RequestedMutation> mutations) {
        this.commit = commit;
        this.mutations = mutations;
        this.results = new MutationResult[mutations.size()];
    }

    private record Started(List<Integer> places, CompletableFuture<CommitResponse> response) {}

    CommitResponse run() {
        List<Started> started = new ArrayList<>(AT_ONCE_MAX);
        for (List<Integer> places : byEntity()) {
            started.add(new Started(places, start(places)));
            if (started.size() == AT_ONCE_MAX) {
                finish(started);
            }
        }
        finish(started);
        if (failure != null) {
            throw PetrichorException.of(
                    failure.code(),
                    failure,
                    "{reason} (mutation {mutation} of {mutations}; {failed} failed, the others"
                            + " were applied)",
                    "reason",
                    failure.getMessage(),
                    "mutation",
                    firstFailed + 1,
                    "mutations",
                    mutations.size(),
                    "failed",
                    failed);
        }
        CommitResponse.Builder response = CommitResponse.newBuilder().setIndexUpdates(indexUpdates);
        Arrays.stream(results).forEach(response::addMutationResults);
        if (commitTime != null) {
            response.setCommitTime(commitTime);
        }
        return response.build();
    }

    /** The indexes of each entity's mutations, in order. */
    private Iterable<List<Integer>> byEntity() {
        Map<Bytes, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < mutations.size(); i++) {
            places.computeIfAbsent(mutations.get(i).row(), _ -> new ArrayList<>(1)).add(i);
        }
        return places.values();
    }

    private CompletableFuture<CommitResponse> start(List<Integer> places) {
        try {
            return commit.apply(places.stream().map(mutations::get).toList());
        } catch (PetrichorException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    private void finish(List<Started> started) {
        for (Started one : started) {
            try {
                add(one.places(), one.response().join());
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof PetrichorException known)) {
                    throw e;
                }
                failed += one.places().size();
                if (one.places().getFirst() < firstFailed) {
                    firstFailed = one.places().getFirst();
                    failure = known;
                }
            }
        }
        started.clear();
    }

    private void add(List<Integer> places, CommitResponse response) {
        for (int i = 0; i < places.size(); i++) {
            results[places.get(i)] = response.getMutationResults(i);
        }
        indexUpdates += response.getIndexUpdates();
        if (response.hasCommitTime()
                && (commitTime == null
                        || Timestamps.compare(commitTime, response.getCommitTime()) < 0)) {
            commitTime = response.getCommitTime();
        }
    }
}
