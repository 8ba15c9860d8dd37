package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.key;

import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyOrder.Direction;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.RunQueryRequest;
import com.google.protobuf.ByteString;
import com.google.protobuf.Int32Value;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

/** A cursor also fits the query in the opposite order: pages can be turned back. */
class OppositeCursorsTest {
    private static final int ENTITIES = 12;

    private final Entities entities = new Entities();

    @BeforeEach
    void put() {
        for (int i = 0; i < ENTITIES; i++) {
            entities.put(entity(key("A", "k" + (char) ('a' + i)), "n", i % 4, "m", i % 3));
        }
    }

    @AfterEach
    void close() {
        entities.close();
    }

    @Test
    void keysInBothDirections() {
        turns(query("__key__+"), query("__key__-"));
    }

    @Test
    void propertiesInBothDirections() {
        turns(query("n+", "__key__+"), query("n-", "__key__-"));
        turns(query("n+", "m-", "__key__+"), query("n-", "m+", "__key__-"));
    }

    @Test
    void keysAreCursorsOfTheOppositeOrderToo() {
        Query.Builder forward = query("n+", "__key__+").clone().addProjection(projection());
        Query.Builder backward = query("n-", "__key__-").clone().addProjection(projection());
        turns(forward, backward);
    }

    /** The first page of the opposite query starts with the result before the cursor. */
    @Test
    void aCursorOfTheOppositeOrderYieldsCursorsThatContinue() {
        EntityHit fifth = run(query("n+", "__key__+")).hits().get(4);
        Query.Builder backward = query("n-", "__key__-");
        QueryResult page =
                run(
                        backward.clone()
                                .setStartCursor(ByteString.copyFrom(fifth.cursor()))
                                .setLimit(Int32Value.of(0)));
        assertThat(names(backward.clone().setStartCursor(page.batch().getEndCursor())))
                .isEqualTo(names(query("n+", "__key__+")).subList(0, 5).reversed());
    }

    @Test
    void otherOrdersAreRefused() {
        EntityHit first = run(query("n+", "__key__+")).hits().getFirst();
        Query.Builder other = query("m+").setStartCursor(ByteString.copyFrom(first.cursor()));
        assertThatThrownBy(() -> run(other))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("belongs to another query");
    }

    private void turns(Query.Builder forward, Query.Builder backward) {
        List<String> all = names(forward);
        assertThat(all).hasSize(ENTITIES);
        List<EntityHit> hits = run(forward).hits();
        for (int i = 1; i <= all.size(); i++) {
            ByteString cursor = ByteString.copyFrom(hits.get(i - 1).cursor());
            assertThat(names(backward.clone().setStartCursor(cursor)))
                    .isEqualTo(all.subList(0, i).reversed());
            assertThat(names(backward.clone().setEndCursor(cursor)))
                    .isEqualTo(all.subList(i, all.size()).reversed());
        }
    }

    private static com.google.datastore.v1.Projection.Builder projection() {
        com.google.datastore.v1.Projection.Builder projection =
                com.google.datastore.v1.Projection.newBuilder();
        projection.getPropertyBuilder().setName("__key__");
        return projection;
    }

    /**
     * @param orders property names with + or -
     */
    private static Query.Builder query(String... orders) {
        Query.Builder query = Query.newBuilder().addKind(KindExpression.newBuilder().setName("A"));
        for (String order : orders) {
            PropertyOrder.Builder added = query.addOrderBuilder();
            added.getPropertyBuilder().setName(order.substring(0, order.length() - 1));
            added.setDirection(order.endsWith("-") ? Direction.DESCENDING : Direction.ASCENDING);
        }
        return query;
    }

    private QueryResult run(Query.Builder query) {
        return entities.datastore.runQuery(
                RunQueryRequest.newBuilder()
                        .setProjectId(Entities.PROJECT)
                        .setQuery(query)
                        .build());
    }

    private List<String> names(Query.Builder query) {
        return run(query).hits().stream()
                .map(hit -> Entities.parse(hit).getKey().getPath(0).getName())
                .toList();
    }
}
