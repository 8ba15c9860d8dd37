package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.key;
import static petrichor.entities.Entities.upsert;

import com.google.datastore.v1.AggregationQuery;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitRequest.Mode;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.RunAggregationQueryRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.transactions.CommitResult;

/** Requests are cancelled when their clients disconnect. */
class CancelledWritersTest {
    private static final Key KEY = key("Counter", "a");
    private static final int ROWS = 300;

    @Test
    void aCancelledWriterLeavesItsQueueAndTheNextDoesNotOvertake() throws Exception {
        try (Entities entities = new Entities()) {
            CompletableFuture<Void> hold = new CompletableFuture<>();
            AtomicInteger commits = new AtomicInteger();
            EntityDatabase slow = held(entities.database(), hold, commits);
            Commits writers = new Commits(TimeSource.SYSTEM);
            CompletableFuture<CommitResponse> first = writers.commit(slow, put(1), List.of());
            Cancellation leaving = Cancellation.never();
            List<CompletableFuture<CommitResponse>> waiting = new ArrayList<>();
            leaving.run(() -> waiting.add(writers.commit(slow, put(2), List.of())));
            CompletableFuture<CommitResponse> last = writers.commit(slow, put(3), List.of());

            leaving.cancel();
            assertThatThrownBy(() -> waiting.getFirst().get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            stopped ->
                                    assertThat(stopped.code())
                                            .isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
            assertThat(last).isNotDone();
            assertThat(commits).hasValue(1);

            hold.complete(null);
            first.get(60, TimeUnit.SECONDS);
            last.get(60, TimeUnit.SECONDS);
            assertThat(commits).hasValue(2);
            assertThat(entities.find(KEY)).isEqualTo(entity(KEY, "n", 3));
        }
    }

    @Test
    void anAggregationIsCancelled() {
        try (Entities entities = new Entities()) {
            Mutation[] rows = new Mutation[ROWS];
            for (int i = 0; i < ROWS; i++) {
                rows[i] = upsert(entity(key("Row", "r" + i), "n", i));
            }
            entities.commit(rows);
            Cancellation left = Cancellation.never();
            left.cancel();
            AggregationQuery.Builder count = AggregationQuery.newBuilder();
            count.setNestedQuery(
                    Query.newBuilder().addKind(KindExpression.newBuilder().setName("Row")));
            count.addAggregationsBuilder().setAlias("n").getCountBuilder();
            RunAggregationQueryRequest request =
                    RunAggregationQueryRequest.newBuilder()
                            .setProjectId(Entities.PROJECT)
                            .setAggregationQuery(count)
                            .build();
            assertThatThrownBy(
                            () -> left.call(() -> entities.datastore.runAggregationQuery(request)))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            stopped ->
                                    assertThat(stopped.code())
                                            .isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
        }
    }

    /** The first commit is answered only when it may be. */
    private static EntityDatabase held(
            EntityDatabase database, CompletableFuture<Void> hold, AtomicInteger commits) {
        return new EntityDatabase(
                Entities.PROJECT,
                "",
                new InterceptedDatabase(
                        database.rows(),
                        request -> {
                            CompletableFuture<CommitResult> result =
                                    database.rows().commit(request);
                            return commits.incrementAndGet() == 1
                                    ? hold.thenCompose(_ -> result)
                                    : result;
                        }),
                database.indexes());
    }

    private static CommitRequest put(int number) {
        return CommitRequest.newBuilder()
                .setProjectId(Entities.PROJECT)
                .setMode(Mode.NON_TRANSACTIONAL)
                .addMutations(upsert(entity(KEY, "n", number)))
                .build();
    }
}
