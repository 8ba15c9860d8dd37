package petrichor.frontends.appengine.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.frontends.appengine.datastore.V3App.entity;
import static petrichor.frontends.appengine.datastore.V3App.filter;
import static petrichor.frontends.appengine.datastore.V3App.key;
import static petrichor.frontends.appengine.datastore.V3App.property;
import static petrichor.frontends.appengine.datastore.V3App.query;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Query.Filter.Operator;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Transaction;
import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.NullValue;
import com.google.protobuf.Timestamp;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.EntityProto;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property.Meaning;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.PropertyValue;
import com.google.type.LatLng;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import petrichor.entities.EntityHit;

/** What one of the two APIs writes, the other reads. */
class DatastoreV3AndV1Test {
    private final V3App app = new V3App();

    @AfterEach
    void close() {
        app.close();
    }

    @Test
    void everyTypeWrittenThroughV1IsReadThroughV3() {
        Entity.Builder written = Entity.newBuilder().setKey(v1Key());
        written.putProperties("null", indexed().setNullValue(NullValue.NULL_VALUE).build());
        written.putProperties("true", indexed().setBooleanValue(true).build());
        written.putProperties("number", indexed().setIntegerValue(7).build());
        written.putProperties("double", indexed().setDoubleValue(0.5).build());
        written.putProperties(
                "time", indexed().setTimestampValue(Timestamp.newBuilder().setSeconds(2)).build());
        written.putProperties("text", indexed().setStringValue("a").build());
        written.putProperties(
                "bytes", indexed().setBlobValue(ByteString.copyFromUtf8("b")).build());
        written.putProperties(
                "blob",
                Value.newBuilder()
                        .setBlobValue(ByteString.copyFromUtf8("c"))
                        .setExcludeFromIndexes(true)
                        .build());
        written.putProperties("key", indexed().setKeyValue(v1Key()).build());
        written.putProperties(
                "point",
                indexed()
                        .setGeoPointValue(LatLng.newBuilder().setLatitude(1).setLongitude(2))
                        .build());
        written.putProperties(
                "entity",
                Value.newBuilder()
                        .setEntityValue(
                                Entity.newBuilder()
                                        .putProperties(
                                                "inner", indexed().setIntegerValue(1).build()))
                        .setExcludeFromIndexes(true)
                        .build());
        written.putProperties(
                "empty", indexed().setArrayValue(ArrayValue.getDefaultInstance()).build());
        written.putProperties(
                "several",
                indexed()
                        .setArrayValue(
                                ArrayValue.newBuilder()
                                        .addValues(indexed().setIntegerValue(1))
                                        .addValues(
                                                Value.newBuilder()
                                                        .setIntegerValue(2)
                                                        .setExcludeFromIndexes(true)))
                        .build());
        commit(written.build());

        EntityProto read = app.find(key("A", 1));
        assertThat(find(read, "null").getValue()).isEqualTo(PropertyValue.getDefaultInstance());
        assertThat(find(read, "true")).isEqualTo(property("true", true));
        assertThat(find(read, "number")).isEqualTo(property("number", 7));
        assertThat(find(read, "double")).isEqualTo(property("double", 0.5));
        assertThat(find(read, "time"))
                .isEqualTo(with(property("time", 2_000_000L), Meaning.GD_WHEN));
        assertThat(find(read, "text")).isEqualTo(property("text", "a"));
        assertThat(find(read, "bytes")).isEqualTo(with(property("bytes", "b"), Meaning.BYTESTRING));
        assertThat(raw(read, "blob")).isEqualTo(with(property("blob", "c"), Meaning.BLOB));
        assertThat(find(read, "key")).isEqualTo(property("key", key("A", 1)));
        assertThat(find(read, "point").getMeaning()).isEqualTo(Meaning.GEORSS_POINT);
        assertThat(raw(read, "entity").getMeaning()).isEqualTo(Meaning.ENTITY_PROTO);
        assertThat(find(read, "empty").getMeaning()).isEqualTo(Meaning.EMPTY_LIST);
        assertThat(find(read, "several").getMultiple()).isTrue();
        assertThat(raw(read, "several").getValue().getInt64Value()).isEqualTo(2);

        app.put(read);
        assertThat(lookup()).isEqualTo(written.build());
    }

    @RepeatedTest(30)
    void everyEntityWrittenThroughV3KeepsItsValuesWhenV1WritesItBack(RepetitionInfo repetition) {
        RandomEntities random = new RandomEntities(new Random(repetition.getCurrentRepetition()));
        EntityProto written = random.entity(key("A", 1), 0);
        app.put(written);
        Entity read = lookup();
        app.delete(key("A", 1));
        commit(read);
        assertThat(RandomEntities.sorted(app.find(key("A", 1))))
                .isEqualTo(RandomEntities.sorted(written));
    }

    @Test
    void queriesFindEntitiesOfTheOtherApi() {
        commit(
                Entity.newBuilder()
                        .setKey(v1Key())
                        .putProperties(
                                "time",
                                indexed()
                                        .setTimestampValue(Timestamp.newBuilder().setSeconds(2))
                                        .build())
                        .putProperties("key", indexed().setKeyValue(v1Key()).build())
                        .build());
        Property time = with(property("time", 2_000_000L), Meaning.GD_WHEN);
        assertThat(app.names(query("A").addFilter(filter("time", Operator.EQUAL, time))))
                .containsExactly("1");
        assertThat(app.names(query("A").addFilter(filter("key", Operator.EQUAL, key("A", 1)))))
                .containsExactly("1");
    }

    @Test
    void usersAreFoundWhateverTheirIds() {
        PropertyValue.UserValue user =
                PropertyValue.UserValue.newBuilder()
                        .setEmail("a@x")
                        .setAuthDomain("x")
                        .setGaiaid(0)
                        .build();
        app.put(
                entity(
                        key("A", 1),
                        "user",
                        user(user.toBuilder().setObfuscatedGaiaid("7").build())),
                entity(key("A", 2), "user", user(user.toBuilder().setEmail("b@x").build())));
        assertThat(app.names(query("A").addFilter(filter("user", Operator.EQUAL, user(user)))))
                .containsExactly("1");
        assertThat(
                        app.names(
                                query("A")
                                        .addFilter(
                                                filter("user", Operator.GREATER_THAN, user(user)))))
                .containsExactly("2");
        EntityProto projected = app.run(query("A").addPropertyName("user")).getResult(0);
        assertThat(projected.getProperty(0).getValue().getUserValue()).isEqualTo(user);
    }

    private static Property user(PropertyValue.UserValue user) {
        return Property.newBuilder()
                .setName("user")
                .setMultiple(false)
                .setValue(PropertyValue.newBuilder().setUserValue(user))
                .build();
    }

    /** A transaction of one API conflicts with a write through the other. */
    @Test
    void transactionsAreShared() {
        Transaction transaction = app.begin();
        var _ = app.get(transaction, key("A", 1));
        app.put(transaction, entity(key("A", 1), "n", 1));
        commit(Entity.newBuilder().setKey(v1Key()).build());
        V3Failures.fails(
                com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Error.ErrorCode
                        .CONCURRENT_TRANSACTION,
                "",
                () -> app.commit(transaction));
    }

    private static Value.Builder indexed() {
        return Value.newBuilder();
    }

    private static Property with(Property property, Meaning meaning) {
        return property.toBuilder().setMeaning(meaning).build();
    }

    private static Property find(EntityProto entity, String name) {
        return entity.getPropertyList().stream()
                .filter(property -> property.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Property raw(EntityProto entity, String name) {
        return entity.getRawPropertyList().stream()
                .filter(property -> property.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Key v1Key() {
        return Key.newBuilder()
                .setPartitionId(PartitionId.newBuilder().setProjectId(V3App.PROJECT))
                .addPath(Key.PathElement.newBuilder().setKind("A").setId(1))
                .build();
    }

    private void commit(Entity entity) {
        var _ =
                app.datastore
                        .commit(
                                CommitRequest.newBuilder()
                                        .setProjectId(V3App.PROJECT)
                                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                        .addMutations(Mutation.newBuilder().setUpsert(entity))
                                        .build())
                        .join();
    }

    private Entity lookup() {
        EntityHit hit =
                app.datastore
                        .lookup(
                                LookupRequest.newBuilder()
                                        .setProjectId(V3App.PROJECT)
                                        .addKeys(v1Key())
                                        .build())
                        .found()
                        .getFirst();
        return EntityTranslator.parse(hit.entity());
    }
}
