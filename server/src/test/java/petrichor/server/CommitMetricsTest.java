package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommitMetricsTest {
    private static final int COMMITS = 200;

    @TempDir Path folder;

    @Test
    void commitsAndTheirDurableStepsAreCounted() {
        try (TestServer server = TestServer.start(config -> config.withData(folder))) {
            commit(server, 1).join(); // opening a database takes some durable steps
            long commits = metric(server, "petrichor_transactions_commits_total");
            long syncs = metric(server, "petrichor_transactions_syncs_total");
            long storeSyncs = metric(server, "petrichor_store_syncs_total");
            long answered = answered(server);

            List<CompletableFuture<CommitResponse>> running =
                    LongStream.rangeClosed(1, COMMITS).mapToObj(id -> commit(server, id)).toList();
            running.forEach(CompletableFuture::join);

            long committed = metric(server, "petrichor_transactions_commits_total") - commits;
            long synced = metric(server, "petrichor_transactions_syncs_total") - syncs;
            assertThat(committed).isEqualTo(COMMITS);
            assertThat(synced).isBetween(1L, committed);
            assertThat(metric(server, "petrichor_store_syncs_total") - storeSyncs)
                    .isGreaterThanOrEqualTo(synced);
            // the largest batch is at least as large as the average
            assertThat(metric(server, "petrichor_transactions_batch_max"))
                    .isBetween((committed + synced - 1) / synced, committed);
            assertThat(metric(server, "petrichor_transactions_open")).isZero();
            assertThat(metric(server, "petrichor_transactions_queued_bytes")).isZero();
            assertThat(answered(server)).as("these did not come over a wire").isEqualTo(answered);
        }
    }

    @Test
    void refusedCommitsAreNotCounted() {
        try (TestServer server = TestServer.start()) {
            commit(server, 1).join();
            long commits = metric(server, "petrichor_transactions_commits_total");
            assertThat(
                            server.post("/v1/projects/p:commit", "{\"mode\": \"TRANSACTIONAL\"}")
                                    .statusCode())
                    .isEqualTo(400);
            assertThat(metric(server, "petrichor_transactions_commits_total")).isEqualTo(commits);
            assertThat(answered(server)).isEqualTo(1);
        }
    }

    private static CompletableFuture<CommitResponse> commit(TestServer server, long id) {
        Key.PathElement path = Key.PathElement.newBuilder().setKind("Kind").setId(id).build();
        return server.server()
                .datastore()
                .commit(
                        CommitRequest.newBuilder()
                                .setProjectId("p")
                                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                .addMutations(
                                        Mutation.newBuilder()
                                                .setUpsert(
                                                        Entity.newBuilder()
                                                                .setKey(
                                                                        Key.newBuilder()
                                                                                .addPath(path))))
                                .build());
    }

    private static long metric(TestServer server, String name) {
        Matcher line =
                Pattern.compile("(?m)^" + name + " ([0-9.E]+)$")
                        .matcher(server.get("/metrics").body());
        assertThat(line.find()).as(name).isTrue();
        return (long) Double.parseDouble(line.group(1));
    }

    private static long answered(TestServer server) {
        return Pattern.compile("(?m)^petrichor_requests_total\\{[^}]*} ([0-9.E]+)$")
                .matcher(server.get("/metrics").body())
                .results()
                .mapToLong(line -> (long) Double.parseDouble(line.group(1)))
                .sum();
    }
}
