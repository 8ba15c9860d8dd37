package petrichor.frontends.appengine.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.EntityProto;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property.Meaning;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.PropertyValue;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import petrichor.entities.UserValues;
import petrichor.frontends.appengine.ServiceError;

/** Entities survive the translation to v1 and back. */
class EntityTranslatorTest {
    private static final AppId APP = new AppId(V3App.ID, V3App.PROJECT);
    private static final EntityTranslator TRANSLATOR = new EntityTranslator(APP);

    @RepeatedTest(50)
    void randomEntitiesSurviveTheWayThroughV1(RepetitionInfo repetition) {
        RandomEntities random = new RandomEntities(new Random(repetition.getCurrentRepetition()));
        EntityProto given = random.entity(V3App.key("Parent", 1, "Kind", "name"), 0);
        Entity v1 = toV1(given);
        EntityProto back = TRANSLATOR.toV3(v1);
        assertThat(RandomEntities.sorted(back)).isEqualTo(RandomEntities.sorted(given));
        assertThat(toV1(back)).isEqualTo(v1);
    }

    @Test
    void timesAreTimestamps() {
        Value value = value(int64(1_500_000L, Meaning.GD_WHEN), true);
        assertThat(value.getTimestampValue().getSeconds()).isEqualTo(1);
        assertThat(value.getTimestampValue().getNanos()).isEqualTo(500_000_000);
    }

    @Test
    void timesThatNoTimestampCanRepresentRemainTimes() {
        Property given = int64(Long.MAX_VALUE, Meaning.GD_WHEN);
        Value value = value(given, true);
        assertThat(value.getIntegerValue()).isEqualTo(Long.MAX_VALUE);
        assertThat(TRANSLATOR.properties().toV3("p", value, false)).isEqualTo(given);
    }

    @Test
    void stringsThatAreNotTextAreBlobs() {
        Property given = bytes(ByteString.copyFrom(new byte[] {(byte) 0xff}), Meaning.NO_MEANING);
        assertThat(value(given, true).hasBlobValue()).isTrue();
    }

    @Test
    void compressedBlobsRemainCompressed() {
        Property given =
                bytes(ByteString.copyFromUtf8("z"), Meaning.BLOB).toBuilder()
                        .setMeaningUri("ZLIB")
                        .build();
        Value value = value(given, false);
        assertThat(value.getMeaning()).isEqualTo(22);
        assertThat(TRANSLATOR.properties().toV3("p", value, false)).isEqualTo(given);
    }

    @Test
    void usersAreUsersOfTheEntityLayer() {
        Property given =
                Property.newBuilder()
                        .setName("p")
                        .setMultiple(false)
                        .setValue(
                                PropertyValue.newBuilder()
                                        .setUserValue(
                                                PropertyValue.UserValue.newBuilder()
                                                        .setEmail("a@x")
                                                        .setAuthDomain("x")
                                                        .setObfuscatedGaiaid("7")
                                                        .setGaiaid(0)))
                        .build();
        Value value = value(given, true);
        assertThat(UserValues.isUser(value)).isTrue();
        assertThat(TRANSLATOR.properties().toV3("p", value, false)).isEqualTo(given);
    }

    @Test
    void keysOfTheAppAreStoredWithoutThePrefixAndOthersWithIt() {
        Value own = value(V3App.property("p", V3App.key("A", 1)), true);
        assertThat(own.getKeyValue().getPartitionId().getProjectId()).isEqualTo("demo");
        Value other =
                value(
                        V3App.property(
                                "p", V3App.key("A", 1).toBuilder().setApp("s~other").build()),
                        true);
        assertThat(other.getKeyValue().getPartitionId().getProjectId()).isEqualTo("s~other");
    }

    /** Without the limit, the translation would overflow the stack. */
    @Test
    void deeplyNestedEntitiesAreRefused() {
        EntityProto entity = V3App.entity(V3App.key("A", 1));
        for (int i = 0; i < 10_000; i++) {
            entity =
                    V3App.entity(V3App.key("A", 1)).toBuilder()
                            .addRawProperty(bytes(entity.toByteString(), Meaning.ENTITY_PROTO))
                            .build();
        }
        EntityProto deep = entity;
        assertThatThrownBy(() -> toV1(deep))
                .isInstanceOf(ServiceError.class)
                .hasMessageContaining("nested deeper than 20");
    }

    @Test
    void anEmbeddedEntityThatCannotBeParsedIsRefused() {
        Property given = bytes(ByteString.copyFromUtf8("x"), Meaning.ENTITY_PROTO);
        assertThatThrownBy(() -> value(given, false)).isInstanceOf(ServiceError.class);
    }

    @Test
    void meaningsThatDoNotFitTheTypeAreDropped() {
        Value value = value(int64(1, Meaning.TEXT), true);
        assertThat(value.getMeaning()).isZero();
        assertThat(value(bytes(ByteString.copyFromUtf8("a"), Meaning.GD_WHEN), true))
                .isEqualTo(Value.newBuilder().setStringValue("a").build());
    }

    private static Entity toV1(EntityProto entity) {
        return TRANSLATOR.toV1(entity).setKey(TRANSLATOR.keys().own(entity.getKey())).build();
    }

    private static Value value(Property property, boolean indexed) {
        return TRANSLATOR.properties().toV1(property, indexed, 0);
    }

    private static Property int64(long number, Meaning meaning) {
        return Property.newBuilder()
                .setName("p")
                .setMultiple(false)
                .setMeaning(meaning)
                .setValue(PropertyValue.newBuilder().setInt64Value(number))
                .build();
    }

    private static Property bytes(ByteString bytes, Meaning meaning) {
        return Property.newBuilder()
                .setName("p")
                .setMultiple(false)
                .setMeaning(meaning)
                .setValue(PropertyValue.newBuilder().setStringValueBytes(bytes))
                .build();
    }
}
