package petrichor.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.datastore.Blob;
import com.google.cloud.datastore.BlobValue;
import com.google.cloud.datastore.BooleanValue;
import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.DatastoreException;
import com.google.cloud.datastore.DoubleValue;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.EntityValue;
import com.google.cloud.datastore.FullEntity;
import com.google.cloud.datastore.IncompleteKey;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.KeyValue;
import com.google.cloud.datastore.LatLng;
import com.google.cloud.datastore.LatLngValue;
import com.google.cloud.datastore.ListValue;
import com.google.cloud.datastore.LongValue;
import com.google.cloud.datastore.NullValue;
import com.google.cloud.datastore.PathElement;
import com.google.cloud.datastore.Query;
import com.google.cloud.datastore.ReadOption;
import com.google.cloud.datastore.StringValue;
import com.google.cloud.datastore.StructuredQuery.PropertyFilter;
import com.google.cloud.datastore.TimestampValue;
import com.google.cloud.datastore.Value;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EntitiesTest {
    private final Fixture fixture = Fixture.open();
    private final Datastore store = fixture.store();

    @Test
    void anEntityIsReadAsItWasWrittenUntilItIsDeleted() {
        Key key = fixture.key("Task", "a");
        Entity put = Entity.newBuilder(key).set("title", "rain").set("priority", 3).build();
        store.put(put);
        assertThat(store.get(key)).isEqualTo(put);
        store.delete(key);
        store.delete(key);
        assertThat(store.get(key)).isNull();
    }

    @Test
    void manyEntitiesAtOnce() {
        Key a = fixture.key("Task", "a");
        Key b = fixture.key("Task", "b");
        fixture.put(a, 1);
        fixture.put(b, 2);
        List<Entity> found = store.fetch(List.of(a, fixture.key("Task", "nowhere"), b));
        assertThat(found).hasSize(3);
        assertThat(found.get(0).getLong("n")).isOne();
        assertThat(found.get(1)).isNull();
        assertThat(found.get(2).getLong("n")).isEqualTo(2);
    }

    @Test
    void everyTypeRoundTripsAndIsFoundByItsValue() {
        Map<String, Value<?>> values = new LinkedHashMap<>();
        values.put("null", NullValue.of());
        values.put("yes", BooleanValue.of(true));
        values.put("largest", LongValue.of(Long.MAX_VALUE));
        values.put("smallest", LongValue.of(Long.MIN_VALUE));
        values.put("fraction", DoubleValue.of(0.1));
        values.put("text", StringValue.of("naïve ☔ \0 end"));
        values.put("bytes", BlobValue.newBuilder(Blob.copyFrom(new byte[] {0, 1, -1})).setExcludeFromIndexes(false).build());
        values.put("time", TimestampValue.of(Timestamp.ofTimeSecondsAndNanos(-4861723077L, 456789000)));
        values.put("place", LatLngValue.of(LatLng.of(48.2, 16.37)));
        values.put("key", KeyValue.of(store.newKeyFactory().setKind("Child").addAncestor(PathElement.of("Parent", "p")).newKey(5)));
        values.forEach((name, value) -> store.put(
                Entity.newBuilder(fixture.key("Value", name)).set("v", value).build()));
        values.forEach((name, value) -> {
            assertThat(store.get(fixture.key("Value", name)).<Value<?>>getValue("v").get()).as(name).isEqualTo(value.get());
            Query<Entity> query = Query.newEntityQueryBuilder().setKind("Value").setFilter(PropertyFilter.eq("v", value)).build();
            assertThat(fixture.names(query)).as(name).containsExactly(name);
        });
    }

    @Test
    void listsAndEntitiesInsideEntities() {
        Key key = fixture.key("Person", "ada");
        FullEntity<IncompleteKey> address = FullEntity.newBuilder().set("street", "Ring").set("number", 1).build();
        Entity put = Entity.newBuilder(key)
                .set("address", EntityValue.of(address))
                .set("tags", ListValue.of("a", "b", "a"))
                .set("none", ListValue.newBuilder().build())
                .build();
        store.put(put);
        assertThat(store.get(key)).isEqualTo(put);
        Query<Entity> query = Query.newEntityQueryBuilder()
                .setKind("Person").setFilter(PropertyFilter.eq("address.street", "Ring")).build();
        assertThat(fixture.names(query)).containsExactly("ada");
    }

    @Test
    void excludedValuesAreStoredButNotFound() {
        Key key = fixture.key("Note", "a");
        StringValue text = StringValue.newBuilder("x".repeat(5000)).setExcludeFromIndexes(true).build();
        store.put(Entity.newBuilder(key).set("text", text).build());
        assertThat(store.get(key).<StringValue>getValue("text").excludeFromIndexes()).isTrue();
        Query<Entity> query = Query.newEntityQueryBuilder().setKind("Note").setFilter(PropertyFilter.gt("text", "")).build();
        assertThat(fixture.names(query)).isEmpty();
    }

    @Test
    void addOfAnExistingAndUpdateOfAMissingEntityAreRefused() {
        Entity entity = Entity.newBuilder(fixture.key("Task", "a")).set("n", 1).build();
        refused("NOT_FOUND", () -> store.update(entity));
        store.add(entity);
        refused("ALREADY_EXISTS", () -> store.add(entity));
        store.update(Entity.newBuilder(entity).set("n", 2).build());
        assertThat(fixture.n(entity.getKey())).isEqualTo(2);
    }

    @Test
    void idsAreGivenAllocatedAndReserved() {
        Key given = store.put(FullEntity.newBuilder(fixture.kind("Task").newKey()).set("n", 1).build()).getKey();
        assertThat(given.getId()).isPositive();
        IncompleteKey[] wanted = new IncompleteKey[50];
        java.util.Arrays.fill(wanted, fixture.kind("Task").newKey());
        Set<Long> ids = new HashSet<>();
        store.allocateId(wanted).forEach(key -> ids.add(key.getId()));
        assertThat(ids).hasSize(50).doesNotContain(given.getId());
        long first = ids.iterator().next();
        Key[] reserved = new Key[20];
        for (int i = 0; i < reserved.length; i++) {
            reserved[i] = fixture.kind("Task").newKey(first + 1 + i);
        }
        store.reserveIds(reserved);
        assertThat(store.allocateId(wanted)).doesNotContain(reserved);
    }

    @Test
    void namespacesAndNamedDatabasesDoNotSeeEachOther() {
        Key key = fixture.key("Task", "a");
        fixture.put(key, 1);
        assertThat(Fixture.open().store().get(Fixture.open().key("Task", "a"))).isNull();
        Datastore ledger = Fixture.client("ledger", fixture.namespace());
        Key there = ledger.newKeyFactory().setKind("Task").newKey("a");
        assertThat(ledger.get(there)).isNull();
        ledger.put(Entity.newBuilder(there).set("n", 2).build());
        assertThat(ledger.get(there).getLong("n")).isEqualTo(2);
        assertThat(fixture.n(key)).isOne();
    }

    @Test
    void readTimeShowsThePast() {
        Key key = fixture.key("Task", "a");
        fixture.put(key, 1);
        var count = Query.newAggregationQueryBuilder()
                .over(Query.newEntityQueryBuilder().setKind("Task").build())
                .addAggregation(com.google.cloud.datastore.aggregation.Aggregation.count().as("n"))
                .build();
        Timestamp then = store.runAggregation(count).getReadTime();
        fixture.put(key, 2);
        fixture.put(fixture.key("Task", "b"), 3);
        ReadOption past = ReadOption.readTime(then);
        assertThat(store.get(key, past).getLong("n")).isOne();
        assertThat(fixture.n(key)).isEqualTo(2);
        assertThat(store.runAggregation(count, past).get(0).get("n")).isOne();
        List<Long> seen = new java.util.ArrayList<>();
        store.run(Query.newEntityQueryBuilder().setKind("Task").build(), past).forEachRemaining(e -> seen.add(e.getLong("n")));
        assertThat(seen).containsExactly(1L);
    }

    @Test
    void aBatchWritesEverything() {
        var batch = store.newBatch();
        batch.put(Entity.newBuilder(fixture.key("Task", "a")).set("n", 1).build());
        batch.addWithDeferredIdAllocation(FullEntity.newBuilder(fixture.kind("Task").newKey()).set("n", 2).build());
        assertThat(batch.submit().getGeneratedKeys()).hasSize(1);
        assertThat(fixture.names(Query.newKeyQueryBuilder().setKind("Task").build())).hasSize(2);
    }

    @Test
    void badWritesAreRefused() {
        StringValue big = StringValue.newBuilder("x".repeat(1 << 20)).setExcludeFromIndexes(true).build();
        refused("INVALID_ARGUMENT", () -> store.put(Entity.newBuilder(fixture.key("Big", "a")).set("v", big).build()));
        refused("INVALID_ARGUMENT", () -> store.put(
                Entity.newBuilder(fixture.key("Long", "a")).set("v", "x".repeat(1501)).build()));
        refused("INVALID_ARGUMENT", () -> fixture.put(fixture.key("__reserved__", "a"), 1));
        refused("INVALID_ARGUMENT", () -> fixture.put(fixture.key("Task", "__a__"), 1));
    }

    static void refused(String reason, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(DatastoreException.class, failure -> {
            assertThat(failure.getReason()).isEqualTo(reason);
            assertThat(failure.getMessage()).isNotBlank();
        });
    }
}
