package petrichor.frontends.appengine.datastore;

import com.google.protobuf.ByteString;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.EntityProto;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property.Meaning;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.PropertyValue;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Reference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** Random entities as SDKs write them: each value has one of the meanings of its type. */
final class RandomEntities {
    private static final List<Meaning> TEXTS =
            List.of(
                    Meaning.NO_MEANING,
                    Meaning.ATOM_CATEGORY,
                    Meaning.ATOM_LINK,
                    Meaning.ATOM_TITLE,
                    Meaning.ATOM_CONTENT,
                    Meaning.ATOM_SUMMARY,
                    Meaning.ATOM_AUTHOR,
                    Meaning.GD_EMAIL,
                    Meaning.GD_IM,
                    Meaning.GD_PHONENUMBER,
                    Meaning.GD_POSTALADDRESS,
                    Meaning.BLOBKEY);

    private final Random random;

    RandomEntities(Random random) {
        this.random = random;
    }

    EntityProto entity(Reference key, int depth) {
        EntityProto.Builder entity = V3App.entity(key).toBuilder();
        int count = random.nextInt(8);
        for (int i = 0; i < count; i++) {
            String name = "p" + i;
            boolean indexed = random.nextBoolean();
            int elements = random.nextInt(4);
            if (elements == 0) {
                add(entity, emptyList(name), indexed);
            } else if (elements == 1) {
                add(entity, value(name, indexed, depth), indexed);
            } else {
                for (int element = 0; element < elements; element++) {
                    add(
                            entity,
                            value(name, indexed, depth).toBuilder().setMultiple(true).build(),
                            indexed);
                }
            }
        }
        return entity.build();
    }

    private static void add(EntityProto.Builder entity, Property property, boolean indexed) {
        if (indexed) {
            entity.addProperty(property);
        } else {
            entity.addRawProperty(property);
        }
    }

    private static Property emptyList(String name) {
        return Property.newBuilder()
                .setName(name)
                .setMultiple(false)
                .setMeaning(Meaning.EMPTY_LIST)
                .setValue(PropertyValue.getDefaultInstance())
                .build();
    }

    private Property value(String name, boolean indexed, int depth) {
        Property.Builder property = Property.newBuilder().setName(name).setMultiple(false);
        PropertyValue.Builder value = PropertyValue.newBuilder();
        switch (random.nextInt(indexed ? 9 : 12)) {
            case 0 -> {}
            case 1 -> value.setBooleanValue(random.nextBoolean());
            case 2 -> {
                value.setInt64Value(random.nextLong() / (1L << random.nextInt(60)));
                meaning(property, random.nextBoolean() ? Meaning.NO_MEANING : Meaning.GD_RATING);
            }
            case 3 -> {
                value.setInt64Value(random.nextLong(-1_000_000_000_000L, 2_000_000_000_000_000L));
                property.setMeaning(Meaning.GD_WHEN);
            }
            case 4 -> value.setDoubleValue(random.nextDouble());
            case 5 -> {
                value.setStringValue("text " + random.nextInt(100));
                meaning(property, TEXTS.get(random.nextInt(TEXTS.size())));
            }
            case 6 -> {
                value.setPointValue(
                        PropertyValue.PointValue.newBuilder()
                                .setX(random.nextDouble(-90, 90))
                                .setY(random.nextDouble(-180, 180)));
                meaning(property, random.nextBoolean() ? Meaning.NO_MEANING : Meaning.GEORSS_POINT);
            }
            case 7 -> value.setUserValue(user());
            case 8 -> value.mergeFrom(reference());
            case 9 -> {
                value.setStringValueBytes(bytes());
                property.setMeaning(random.nextBoolean() ? Meaning.BLOB : Meaning.BYTESTRING);
            }
            case 10 -> {
                value.setStringValue("long text");
                property.setMeaning(Meaning.TEXT);
            }
            default -> {
                Reference key = V3App.key("Embedded", 1 + random.nextInt(9));
                value.setStringValueBytes(
                        depth < 3
                                ? sorted(entity(key, depth + 1)).toByteString()
                                : V3App.entity(key).toByteString());
                property.setMeaning(Meaning.ENTITY_PROTO);
            }
        }
        return property.setValue(value).build();
    }

    private static void meaning(Property.Builder property, Meaning meaning) {
        if (meaning != Meaning.NO_MEANING) {
            property.setMeaning(meaning);
        }
    }

    private PropertyValue.UserValue user() {
        PropertyValue.UserValue.Builder user =
                PropertyValue.UserValue.newBuilder()
                        .setEmail("u" + random.nextInt(9) + "@example.org")
                        .setAuthDomain("example.org")
                        .setGaiaid(0);
        if (random.nextBoolean()) {
            user.setObfuscatedGaiaid("id" + random.nextInt(9));
        }
        return user.build();
    }

    private PropertyValue reference() {
        return V3App.property("", V3App.key("Other", "n", "Other", 1 + random.nextInt(99)))
                .getValue();
    }

    private ByteString bytes() {
        byte[] bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }

    /** Properties by name; the elements of an array keep their order. */
    static EntityProto sorted(EntityProto entity) {
        return entity.toBuilder()
                .clearProperty()
                .clearRawProperty()
                .addAllProperty(sorted(entity.getPropertyList()))
                .addAllRawProperty(sorted(entity.getRawPropertyList()))
                .build();
    }

    private static List<Property> sorted(List<Property> properties) {
        List<Property> sorted = new ArrayList<>(properties);
        sorted.sort(Comparator.comparing(Property::getName));
        return sorted;
    }
}
