package petrichor.frontends.appengine.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.frontends.appengine.datastore.V3App.entity;
import static petrichor.frontends.appengine.datastore.V3App.filter;
import static petrichor.frontends.appengine.datastore.V3App.key;
import static petrichor.frontends.appengine.datastore.V3App.property;
import static petrichor.frontends.appengine.datastore.V3App.query;
import static petrichor.frontends.appengine.datastore.V3Failures.fails;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.AllocateIdsRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.AllocateIdsResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Error.ErrorCode;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.GetRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.GetResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.PutRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.PutResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Query.Filter.Operator;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.TouchRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.TouchResponse;
import com.google.protobuf.ByteString;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.EntityProto;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property.Meaning;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.PropertyValue;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.CallingApp;

/** Get, Put, Delete, Touch and AllocateIds. */
class DatastoreV3EntitiesTest {
    private static final int MEBIBYTE = 1 << 20;

    private final V3App app = new V3App();

    @AfterEach
    void close() {
        app.close();
    }

    @Test
    void aPutEntityIsFound() {
        EntityProto book = entity(key("Book", "emma"), "pages", 500, "title", "Emma");
        PutResponse put = app.put(book);
        assertThat(put.getKeyList()).containsExactly(key("Book", "emma"));
        GetResponse got = app.get(key("Book", "emma"), key("Book", "none"));
        assertThat(got.getInOrder()).isTrue();
        assertThat(got.getEntity(0).getEntity()).isEqualTo(book);
        assertThat(got.getEntity(0).getVersion()).isEqualTo(put.getVersion(0));
        assertThat(got.getEntity(1).hasEntity()).isFalse();
        assertThat(got.getEntity(1).getKey()).isEqualTo(key("Book", "none"));
    }

    @Test
    void aPutAllocatesIds() {
        PutResponse put = app.put(entity(key("A"), "n", 1), entity(key("A", 7, "B"), "n", 2));
        assertThat(put.getKey(0).getPath().getElement(0).getId()).isPositive();
        Reference child = put.getKey(1);
        assertThat(child.getPath().getElement(0).getId()).isEqualTo(7);
        EntityProto found = app.find(child);
        assertThat(found.getEntityGroup().getElement(0).getId()).isEqualTo(7);
    }

    @Test
    void consecutiveIdsOnRequest() {
        PutRequest.Builder request =
                PutRequest.newBuilder().setAutoIdPolicy(PutRequest.AutoIdPolicy.SEQUENTIAL);
        for (int i = 0; i < 3; i++) {
            request.addEntity(entity(key("A")));
        }
        PutResponse put = app.call("Put", request.build(), PutResponse.parser());
        assertThat(put.getKeyList()).containsExactly(key("A", 1), key("A", 2), key("A", 3));
    }

    @Test
    void theLastOfSeveralPutsOfOneEntityCounts() {
        app.put(entity(key("A", 1), "n", 1), entity(key("A", 1), "n", 2));
        assertThat(app.find(key("A", 1))).isEqualTo(entity(key("A", 1), "n", 2));
    }

    @Test
    void deletedEntitiesAreGone() {
        app.put(entity(key("A", 1)));
        assertThat(app.delete(key("A", 1), key("A", 2)).getVersionCount()).isEqualTo(2);
        assertThat(app.exists(key("A", 1))).isFalse();
    }

    @Test
    void manyEntitiesNeedNoLimit() {
        EntityProto[] entities =
                IntStream.rangeClosed(1, 1_500)
                        .mapToObj(i -> entity(key("A", i), "n", i))
                        .toArray(EntityProto[]::new);
        assertThat(app.put(entities).getVersionCount()).isEqualTo(1_500);
        Reference[] keys =
                IntStream.rangeClosed(1, 1_500)
                        .mapToObj(i -> key("A", i))
                        .toArray(Reference[]::new);
        assertThat(app.get(keys).getEntityList())
                .extracting(found -> found.getEntity().getKey())
                .containsExactly(keys);
        app.delete(keys);
        assertThat(app.get(keys).getEntityList()).noneMatch(GetResponse.Entity::hasEntity);
    }

    /** They are more than one commit may write. */
    @Test
    void manyBytesBecomeSeveralCommits() {
        EntityProto[] entities =
                IntStream.rangeClosed(1, 15)
                        .mapToObj(i -> large(key("A", i), 900_000))
                        .toArray(EntityProto[]::new);
        assertThat(app.put(entities).getVersionList()).hasSize(15).doesNotContainNull();
        assertThat(app.exists(key("A", 15))).isTrue();
    }

    @Test
    void aGetThatMayDeferReturnsPartsOfManyBytes() {
        List<Reference> keys = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            app.put(large(key("A", i), 900_000));
            keys.add(key("A", i));
        }
        GetResponse first = get(keys, true);
        assertThat(first.getInOrder()).isFalse();
        assertThat(first.getEntityCount()).isBetween(1, 7);
        assertThat(first.getEntityCount() + first.getDeferredCount()).isEqualTo(8);
        assertThat(get(first.getDeferredList(), true).getEntityCount()).isPositive();
        assertThat(get(keys, false).getEntityCount()).isEqualTo(8);
    }

    @Test
    void aResponseHasALimit() {
        app.put(large(key("A", 1), 900_000));
        List<Reference> often = IntStream.range(0, 40).mapToObj(_ -> key("A", 1)).toList();
        fails(ErrorCode.BAD_REQUEST, "get fewer of them", () -> get(often, false));
        GetResponse part = get(often, true);
        assertThat(part.getSerializedSize()).isLessThan(32 * MEBIBYTE);
        assertThat(part.getDeferredList()).containsExactly(key("A", 1));
    }

    @Test
    void touchChecksKeys() {
        TouchRequest request = TouchRequest.newBuilder().addKey(key("A", 1)).build();
        assertThat(app.call("Touch", request, TouchResponse.parser()).hasCost()).isTrue();
        TouchRequest incomplete = TouchRequest.newBuilder().addKey(key("A")).build();
        fails(
                ErrorCode.BAD_REQUEST,
                "missing key id/name",
                () -> app.call("Touch", incomplete, TouchResponse.parser()));
    }

    @Test
    void anAppCannotReadOrWriteAnotherOnesData() {
        CallingApp other = CallingApp.of("other");
        PutRequest put = PutRequest.newBuilder().addEntity(entity(key("A", 1))).build();
        GetRequest get = GetRequest.newBuilder().addKey(key("A", 1)).build();
        String text = "app \"other\" cannot access app \"s~demo\"'s data";
        fails(ErrorCode.BAD_REQUEST, text, () -> app.call(other, "Put", put, PutResponse.parser()));
        fails(ErrorCode.BAD_REQUEST, text, () -> app.call(other, "Get", get, GetResponse.parser()));
        Reference foreign = key("A", 1).toBuilder().setApp("s~other").build();
        fails(ErrorCode.BAD_REQUEST, "cannot access", () -> app.get(key("A", 1), foreign));
    }

    @Test
    void keysAreAnsweredWithThePrefixOfTheRequest() {
        app.put(entity(key("A", 1)));
        Reference dev = key("A", 1).toBuilder().setApp("dev~demo").build();
        assertThat(app.get(dev).getEntity(0).getEntity().getKey().getApp()).isEqualTo("dev~demo");
    }

    /** As Java's SDK stores them with setIndexedProperty. */
    @Test
    void propertiesOfEmbeddedEntitiesCanBeIndexed() {
        EntityProto inner = entity(key("Inner", 1), "street", "High", "text", "x".repeat(1_000));
        Property outer =
                Property.newBuilder()
                        .setName("outer")
                        .setMultiple(false)
                        .setMeaning(Meaning.ENTITY_PROTO)
                        .setValue(
                                PropertyValue.newBuilder()
                                        .setStringValueBytes(inner.toByteString()))
                        .build();
        app.put(entity(key("A", 1)).toBuilder().addProperty(outer).build());
        EntityProto found = app.get(key("A", 1)).getEntity(0).getEntity();
        assertThat(found.getPropertyList()).containsExactly(outer);
        assertThat(app.names(query("A").addFilter(filter("outer.street", Operator.EQUAL, "High"))))
                .containsExactly("1");
    }

    @Test
    void entitiesAreCheckedWithGooglesTexts() {
        refused("BLOB, ENITY_PROTO or TEXT property p must be in", meaning(Meaning.TEXT, "x"));
        refused(
                "Entities with incomplete properties cannot be written.",
                meaning(Meaning.INDEX_VALUE, "x"));
        refused(
                "Property p is too long. Maximum length is 1500.",
                meaning(Meaning.NO_MEANING, "x".repeat(1_501)));
        refused("reserved property name '__p__'", property("__p__", 1));
        Property invalid =
                Property.newBuilder()
                        .setName("p")
                        .setMultiple(false)
                        .setValue(
                                PropertyValue.newBuilder()
                                        .setStringValueBytes(
                                                ByteString.copyFrom(new byte[] {(byte) 0xff})))
                        .build();
        refused("String property \"p\" value is not valid UTF-8.", invalid);
        Property both = property("p", 1);
        refused(
                "PropertyValue for p has multiple value fields set",
                both.toBuilder()
                        .setValue(both.getValue().toBuilder().setBooleanValue(true))
                        .build());
    }

    private void refused(String text, Property property) {
        fails(
                ErrorCode.BAD_REQUEST,
                text,
                () -> app.put(entity(key("A", 1)).toBuilder().addProperty(property).build()));
    }

    @Test
    void idsAreAllocatedInRanges() {
        AllocateIdsResponse first = allocate(AllocateIdsRequest.newBuilder().setSize(10));
        assertThat(first.getStart()).isEqualTo(1);
        assertThat(first.getEnd()).isEqualTo(10);
        AllocateIdsResponse upTo = allocate(AllocateIdsRequest.newBuilder().setMax(20));
        assertThat(upTo.getStart()).isEqualTo(11);
        assertThat(upTo.getEnd()).isEqualTo(20);
        AllocateIdsRequest reserve =
                AllocateIdsRequest.newBuilder().addReserve(key("A", 100)).build();
        var _ = app.call("AllocateIds", reserve, AllocateIdsResponse.parser());
        assertThat(allocate(AllocateIdsRequest.newBuilder().setSize(1)).getStart()).isEqualTo(101);
        fails(
                ErrorCode.BAD_REQUEST,
                "Size must be greater than 0.",
                () -> allocate(AllocateIdsRequest.newBuilder()));
    }

    @Test
    void unknownMethodsAreUnimplemented() {
        assertThatThrownBy(
                        () ->
                                app.call(
                                        "Nothing",
                                        GetRequest.getDefaultInstance(),
                                        GetResponse.parser()))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e ->
                                assertThat(e.code())
                                        .isEqualTo(petrichor.base.ErrorCode.UNIMPLEMENTED));
    }

    private AllocateIdsResponse allocate(AllocateIdsRequest.Builder request) {
        return app.call(
                "AllocateIds", request.setModelKey(key("A")).build(), AllocateIdsResponse.parser());
    }

    private GetResponse get(List<Reference> keys, boolean mayDefer) {
        return app.call(
                "Get",
                GetRequest.newBuilder().addAllKey(keys).setAllowDeferred(mayDefer).build(),
                GetResponse.parser());
    }

    private static EntityProto large(Reference key, int bytes) {
        return entity(key).toBuilder()
                .addRawProperty(meaning(Meaning.BLOB, "x".repeat(bytes)))
                .build();
    }

    private static Property meaning(Meaning meaning, String text) {
        return property("p", text).toBuilder().setMeaning(meaning).build();
    }
}
