package petrichor.frontends.appengine.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.frontends.appengine.datastore.V3App.entity;
import static petrichor.frontends.appengine.datastore.V3App.key;
import static petrichor.frontends.appengine.datastore.V3App.query;
import static petrichor.frontends.appengine.datastore.V3Failures.fails;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Error.ErrorCode;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Query;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.QueryResult;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import petrichor.base.MemoryBudget;

/** Queries whose clients send the cursor of the first batch with every Next, as Java's SDK does. */
class OpenQueriesTest {
    private static final String PROJECT = "demo";
    private static final Query REST = Query.newBuilder().setApp(PROJECT).build();

    private static final int BYTES_MAX = 1 << 20;

    private final MemoryBudget memory = MemoryBudget.of("queries", BYTES_MAX);
    private final OpenQueries open = new OpenQueries(new Random(1), memory);

    private static List<String> range(int first, int last) {
        return IntStream.rangeClosed(first, last).mapToObj(String::valueOf).toList();
    }

    private static QueryResult first(V3App app) {
        for (int i = 1; i <= 1000; i++) {
            app.put(entity(key("N", i), "n", i));
        }
        return app.run(query("N"));
    }

    @Test
    void theFirstCursorNamesAllFurtherBatches() {
        try (V3App app = new V3App()) {
            QueryResult first = first(app);
            List<String> names = new ArrayList<>(V3App.names(first));
            QueryResult batch = first;
            while (batch.getMoreResults()) {
                batch = app.next(first);
                names.addAll(V3App.names(batch));
            }
            assertThat(names).containsExactlyElementsOf(range(1, 1000));
            fails(ErrorCode.TIMEOUT, "run it again", () -> app.next(first));
        }
    }

    @Test
    void aLaterCursorAlwaysNamesTheSameBatch() {
        try (V3App app = new V3App()) {
            QueryResult second = app.next(first(app));
            List<String> third = range(321, 620);
            assertThat(V3App.names(app.next(second))).containsExactlyElementsOf(third);
            assertThat(V3App.names(app.next(second))).containsExactlyElementsOf(third);
        }
    }

    @Test
    void theLeastRecentlyUsedQueriesAreForgotten() {
        long kept = open.add(PROJECT, REST);
        long forgotten = open.add(PROJECT, REST);
        for (int i = 0; i < OpenQueries.QUERIES_MAX - 1; i++) {
            assertThat(open.rest(PROJECT, kept)).isEqualTo(REST);
            open.add(PROJECT, REST);
        }
        assertThat(open.rest(PROJECT, kept)).isEqualTo(REST);
        assertThat(open.rest(PROJECT, forgotten)).isNull();
        assertThat(open.rest("another", kept)).isNull();
    }

    @Test
    void memoryIsBounded() {
        Query large =
                REST.toBuilder().setKindBytes(ByteString.copyFrom(new byte[BYTES_MAX / 2])).build();
        long first = open.add(PROJECT, REST);
        long second = open.add(PROJECT, large);
        open.put(PROJECT, second, large);
        assertThat(open.rest(PROJECT, first)).isNotNull();
        long third = open.add(PROJECT, large);
        assertThat(open.rest(PROJECT, second)).isNull();
        open.remove(PROJECT, third);
        open.add(PROJECT, large);
        assertThat(open.rest(PROJECT, first)).isNotNull();
        long enormous =
                open.add(
                        PROJECT,
                        REST.toBuilder()
                                .setKindBytes(ByteString.copyFrom(new byte[BYTES_MAX]))
                                .build());
        assertThat(open.rest(PROJECT, enormous)).isNull();
        assertThat(memory.bytesUsed()).isZero();
    }
}
