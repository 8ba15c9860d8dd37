package petrichor.movement;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * Writes a google.datastore.v1.Entity as App Engine's EntityProto, the inverse of {@link
 * EntityProto}, which names the fields. Meanings follow the rules of Google's SDK for v1 values.
 * Elements of an array keep their order, indexed or not. Stateless.
 */
final class EntityProtoWriter {
    private EntityProtoWriter() {}

    static byte[] write(Entity entity) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(entity.getSerializedSize() + 64);
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            write(entity, out);
            out.flush();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    private static void write(Entity entity, CodedOutputStream out) throws IOException {
        // The schema requires a key and a group even for embedded entities.
        out.writeByteArray(EntityProto.KEY, nested(sub -> reference(entity.getKey(), sub)));
        for (Map.Entry<String, Value> property : entity.getPropertiesMap().entrySet()) {
            Value value = property.getValue();
            if (!value.hasArrayValue()) {
                property(property.getKey(), value, false, out);
                continue;
            }
            List<Value> elements = value.getArrayValue().getValuesList();
            for (Value element : elements) {
                property(property.getKey(), element, true, out);
            }
            if (elements.isEmpty()) {
                property(property.getKey(), value, false, out);
            }
        }
        List<Key.PathElement> path = entity.getKey().getPathList();
        out.writeByteArray(
                EntityProto.ENTITY_GROUP,
                nested(
                        sub -> {
                            if (!path.isEmpty()) {
                                element(path.getFirst(), sub);
                            }
                        }));
    }

    private static void reference(Key key, CodedOutputStream out) throws IOException {
        PartitionId partition = key.getPartitionId();
        out.writeString(EntityProto.REFERENCE_APP, partition.getProjectId());
        out.writeByteArray(
                EntityProto.REFERENCE_PATH,
                nested(
                        sub -> {
                            for (Key.PathElement step : key.getPathList()) {
                                element(step, sub);
                            }
                        }));
        namespaceAndDatabase(
                partition, EntityProto.REFERENCE_NAMESPACE, EntityProto.REFERENCE_DATABASE, out);
    }

    private static void namespaceAndDatabase(
            PartitionId partition, int namespace, int database, CodedOutputStream out)
            throws IOException {
        if (!partition.getNamespaceId().isEmpty()) {
            out.writeString(namespace, partition.getNamespaceId());
        }
        if (!partition.getDatabaseId().isEmpty()) {
            out.writeString(database, partition.getDatabaseId());
        }
    }

    private static void element(Key.PathElement step, CodedOutputStream out) throws IOException {
        out.writeTag(EntityProto.PATH_ELEMENT, WireFormat.WIRETYPE_START_GROUP);
        out.writeString(EntityProto.ELEMENT_KIND, step.getKind());
        idOrName(step, EntityProto.ELEMENT_ID, EntityProto.ELEMENT_NAME, out);
        out.writeTag(EntityProto.PATH_ELEMENT, WireFormat.WIRETYPE_END_GROUP);
    }

    private static void idOrName(Key.PathElement step, int id, int name, CodedOutputStream out)
            throws IOException {
        switch (step.getIdTypeCase()) {
            case ID -> out.writeInt64(id, step.getId());
            case NAME -> out.writeString(name, step.getName());
            case IDTYPE_NOT_SET -> {}
        }
    }

    private static void property(String name, Value value, boolean multiple, CodedOutputStream out)
            throws IOException {
        int field = value.getExcludeFromIndexes() ? EntityProto.RAW_PROPERTY : EntityProto.PROPERTY;
        out.writeByteArray(
                field,
                nested(
                        sub -> {
                            int meaning = meaning(value);
                            if (meaning != 0) {
                                sub.writeEnum(EntityProto.PROPERTY_MEANING, meaning);
                            }
                            if (value.hasBlobValue()
                                    && value.getMeaning() == PropertyValue.MEANING_COMPRESSED) {
                                sub.writeString(
                                        EntityProto.PROPERTY_MEANING_URI,
                                        PropertyValue.URI_COMPRESSED);
                            }
                            sub.writeString(EntityProto.PROPERTY_NAME, name);
                            sub.writeBool(EntityProto.PROPERTY_MULTIPLE, multiple);
                            sub.writeByteArray(
                                    EntityProto.PROPERTY_VALUE, nested(in -> value(value, in)));
                        }));
    }

    private static int meaning(Value value) {
        int given = value.getMeaning();
        return switch (value.getValueTypeCase()) {
            case TIMESTAMP_VALUE -> given == 0 ? PropertyValue.MEANING_TIMESTAMP : given;
            case BLOB_VALUE ->
                    value.getExcludeFromIndexes() && given != PropertyValue.MEANING_BYTE_STRING
                            ? PropertyValue.MEANING_BLOB
                            : PropertyValue.MEANING_BYTE_STRING;
            case ENTITY_VALUE ->
                    given == PropertyValue.MEANING_USER ? given : PropertyValue.MEANING_ENTITY;
            case GEO_POINT_VALUE ->
                    given == PropertyValue.MEANING_POINT_WITHOUT_MEANING
                            ? 0
                            : PropertyValue.MEANING_POINT;
            case ARRAY_VALUE -> PropertyValue.MEANING_EMPTY_LIST;
            case NULL_VALUE,
                    BOOLEAN_VALUE,
                    INTEGER_VALUE,
                    DOUBLE_VALUE,
                    KEY_VALUE,
                    STRING_VALUE,
                    VALUETYPE_NOT_SET ->
                    given;
        };
    }

    private static void value(Value value, CodedOutputStream out) throws IOException {
        switch (value.getValueTypeCase()) {
            case BOOLEAN_VALUE -> out.writeBool(PropertyValue.BOOL, value.getBooleanValue());
            case INTEGER_VALUE -> out.writeInt64(PropertyValue.INT64, value.getIntegerValue());
            case DOUBLE_VALUE -> out.writeDouble(PropertyValue.DOUBLE, value.getDoubleValue());
            case TIMESTAMP_VALUE ->
                    out.writeInt64(
                            PropertyValue.INT64,
                            value.getTimestampValue().getSeconds() * PropertyValue.MICROS
                                    + value.getTimestampValue().getNanos() / 1_000);
            case STRING_VALUE -> out.writeBytes(PropertyValue.STRING, value.getStringValueBytes());
            case BLOB_VALUE -> out.writeBytes(PropertyValue.STRING, value.getBlobValue());
            case GEO_POINT_VALUE -> {
                out.writeTag(PropertyValue.POINT, WireFormat.WIRETYPE_START_GROUP);
                out.writeDouble(PropertyValue.POINT_X, value.getGeoPointValue().getLatitude());
                out.writeDouble(PropertyValue.POINT_Y, value.getGeoPointValue().getLongitude());
                out.writeTag(PropertyValue.POINT, WireFormat.WIRETYPE_END_GROUP);
            }
            case KEY_VALUE -> reference(value.getKeyValue(), PropertyValue.REFERENCE, out);
            case ENTITY_VALUE -> {
                if (value.getMeaning() == PropertyValue.MEANING_USER) {
                    user(value.getEntityValue(), out);
                } else {
                    out.writeBytes(
                            PropertyValue.STRING,
                            ByteString.copyFrom(nested(in -> write(value.getEntityValue(), in))));
                }
            }
            case NULL_VALUE, ARRAY_VALUE, VALUETYPE_NOT_SET -> {}
        }
    }

    private static void reference(Key key, int group, CodedOutputStream out) throws IOException {
        out.writeTag(group, WireFormat.WIRETYPE_START_GROUP);
        out.writeString(PropertyValue.REFERENCE_APP, key.getPartitionId().getProjectId());
        for (Key.PathElement step : key.getPathList()) {
            out.writeTag(PropertyValue.REFERENCE_ELEMENT, WireFormat.WIRETYPE_START_GROUP);
            out.writeString(PropertyValue.ELEMENT_KIND, step.getKind());
            idOrName(step, PropertyValue.ELEMENT_ID, PropertyValue.ELEMENT_NAME, out);
            out.writeTag(PropertyValue.REFERENCE_ELEMENT, WireFormat.WIRETYPE_END_GROUP);
        }
        namespaceAndDatabase(
                key.getPartitionId(),
                PropertyValue.REFERENCE_NAMESPACE,
                PropertyValue.REFERENCE_DATABASE,
                out);
        out.writeTag(group, WireFormat.WIRETYPE_END_GROUP);
    }

    private static void user(Entity user, CodedOutputStream out) throws IOException {
        Map<String, Value> given = user.getPropertiesMap();
        Value none = Value.getDefaultInstance();
        out.writeTag(PropertyValue.USER, WireFormat.WIRETYPE_START_GROUP);
        out.writeString(
                PropertyValue.USER_EMAIL, given.getOrDefault("email", none).getStringValue());
        out.writeString(
                PropertyValue.USER_AUTH_DOMAIN,
                given.getOrDefault("auth_domain", none).getStringValue());
        out.writeInt64(
                PropertyValue.USER_GAIA_ID,
                given.getOrDefault("internal_id", none).getIntegerValue());
        userText(given, "user_id", PropertyValue.USER_ID, out);
        userText(given, "federated_identity", PropertyValue.USER_FEDERATED_IDENTITY, out);
        userText(given, "federated_provider", PropertyValue.USER_FEDERATED_PROVIDER, out);
        out.writeTag(PropertyValue.USER, WireFormat.WIRETYPE_END_GROUP);
    }

    private static void userText(
            Map<String, Value> given, String name, int field, CodedOutputStream out)
            throws IOException {
        Value value = given.get(name);
        if (value != null) {
            out.writeString(field, value.getStringValue());
        }
    }

    private interface Content {
        void writeTo(CodedOutputStream out) throws IOException;
    }

    private static byte[] nested(Content content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes, 256);
        content.writeTo(out);
        out.flush();
        return bytes.toByteArray();
    }
}
