package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.key;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;

/** Users of App Engine are values that queries filter and order by. */
class UserValuesTest {
    private final Entities entities = new Entities();

    @AfterEach
    void close() {
        entities.close();
    }

    @Test
    void usersAreOrderedByEmailAndThenDomain() {
        put("c", user("b@x", "x"));
        put("b", user("a@y", "y"));
        put("a", user("a@y", "x"));
        assertThat(names(query().addOrder(order(PropertyOrder.Direction.ASCENDING))))
                .containsExactly("a", "b", "c");
        assertThat(names(query().addOrder(order(PropertyOrder.Direction.DESCENDING))))
                .containsExactly("c", "b", "a");
    }

    @Test
    void usersAreFoundByEquality() {
        put("a", user("a@x", "x"));
        put("b", user("b@x", "x"));
        assertThat(names(query().setFilter(filter(user("b@x", "x"))))).containsExactly("b");
        put("b", user("c@x", "x"));
        assertThat(names(query().setFilter(filter(user("b@x", "x"))))).isEmpty();
    }

    @Test
    void otherEmbeddedEntitiesAreNoOperands() {
        Value plain = user("b@x", "x").toBuilder().setMeaning(0).build();
        assertThatThrownBy(() -> names(query().setFilter(filter(plain))))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("embedded entity");
    }

    @Test
    void usersAreBetweenPointsAndKeys() {
        byte[] user = ValueCodec.encode(user("", ""), SortOrder.ASCENDING);
        Value point =
                Value.newBuilder()
                        .setGeoPointValue(
                                com.google.type.LatLng.newBuilder()
                                        .setLatitude(90)
                                        .setLongitude(180))
                        .build();
        Value key = Value.newBuilder().setKeyValue(key("A", "a")).build();
        assertThat(Bytes.compare(user, ValueCodec.encode(point, SortOrder.ASCENDING))).isPositive();
        assertThat(Bytes.compare(user, ValueCodec.encode(key, SortOrder.ASCENDING))).isNegative();
    }

    @Test
    void theEncodingKeepsWhatIsOrdered() {
        for (SortOrder order : SortOrder.values()) {
            byte[] encoded = ValueCodec.encode(user("a@x", "x"), order);
            assertThat(ValueCodec.decode(encoded, 0, order)).isEqualTo(user("a@x", "x"));
            assertThat(ValueCodec.skip(encoded, 0, order)).isEqualTo(encoded.length);
        }
    }

    private void put(String name, Value user) {
        entities.put(entity(key("Note", name), "author", user));
    }

    private static Value user(String email, String domain) {
        return UserValues.of(email, domain);
    }

    private static Query.Builder query() {
        return Query.newBuilder().addKind(KindExpression.newBuilder().setName("Note"));
    }

    private static PropertyOrder.Builder order(PropertyOrder.Direction direction) {
        PropertyOrder.Builder order = PropertyOrder.newBuilder().setDirection(direction);
        order.getPropertyBuilder().setName("author");
        return order;
    }

    private static com.google.datastore.v1.Filter filter(Value value) {
        PropertyFilter.Builder filter =
                PropertyFilter.newBuilder().setOp(PropertyFilter.Operator.EQUAL).setValue(value);
        filter.getPropertyBuilder().setName("author");
        return com.google.datastore.v1.Filter.newBuilder().setPropertyFilter(filter).build();
    }

    private List<String> names(Query.Builder query) {
        return entities
                .datastore
                .runQuery(
                        RunQueryRequest.newBuilder()
                                .setProjectId(Entities.PROJECT)
                                .setQuery(query)
                                .build())
                .hits()
                .stream()
                .map(Entities::parse)
                .map(Entity::getKey)
                .map(key -> key.getPath(0).getName())
                .toList();
    }
}
