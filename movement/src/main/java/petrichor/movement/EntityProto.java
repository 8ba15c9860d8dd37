package petrichor.movement;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import petrichor.base.PetrichorException;

/**
 * Parses App Engine's EntityProto, the record of a managed export, into a
 * google.datastore.v1.Entity. It is decoded by hand from the wire format, because the generated
 * classes of this old message with groups need another protobuf runtime. Field numbers are those of
 * the published storage_onestore_v3 schema. Unknown fields are ignored, as usual in protobuf.
 *
 * <p>Properties of the first list are indexed, those of the second (raw) list are not. Repeated
 * values of one name form an array, in their order of occurrence.
 */
final class EntityProto {
    static final int KEY = 13;
    static final int PROPERTY = 14;
    static final int RAW_PROPERTY = 15;
    static final int ENTITY_GROUP = 16;

    static final int REFERENCE_APP = 13;
    static final int REFERENCE_PATH = 14;
    static final int REFERENCE_NAMESPACE = 20;
    static final int REFERENCE_DATABASE = 23;

    static final int PATH_ELEMENT = 1;
    static final int ELEMENT_KIND = 2;
    static final int ELEMENT_ID = 3;
    static final int ELEMENT_NAME = 4;

    static final int PROPERTY_MEANING = 1;
    static final int PROPERTY_MEANING_URI = 2;
    static final int PROPERTY_NAME = 3;
    static final int PROPERTY_MULTIPLE = 4;
    static final int PROPERTY_VALUE = 5;

    /** Maximum nesting of entities, against stack overflows. */
    private static final int DEPTH_MAX = 50;

    private EntityProto() {}

    /** INVALID_ARGUMENT with the reason if the bytes are not an EntityProto with a complete key. */
    static Entity parse(byte[] bytes) {
        try {
            Entity entity = entity(CodedInputStream.newInstance(bytes), 0);
            if (!entity.hasKey() || entity.getKey().getPathCount() == 0) {
                throw PetrichorException.invalid("the entity has no key");
            }
            return entity;
        } catch (IOException malformed) {
            throw PetrichorException.invalid(
                    "the record is not an EntityProto: {reason}", "reason", malformed.getMessage());
        }
    }

    static Entity entity(CodedInputStream in, int depth) throws IOException {
        if (depth > DEPTH_MAX) {
            throw PetrichorException.invalid(
                    "entities are nested by more than " + DEPTH_MAX + " deep");
        }
        Entity.Builder entity = Entity.newBuilder();
        Map<String, Property> properties = new LinkedHashMap<>();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case KEY -> {
                    Key key = reference(sub(in));
                    // An embedded entity has a key without a project, which means that it has no
                    // key.
                    if (!key.getPartitionId().getProjectId().isEmpty()) {
                        entity.setKey(key);
                    }
                }
                case PROPERTY -> property(sub(in), true, properties, depth);
                case RAW_PROPERTY -> property(sub(in), false, properties, depth);
                default -> in.skipField(tag);
            }
        }
        properties.forEach((name, property) -> entity.putProperties(name, property.value()));
        return entity.build();
    }

    /** A property under construction, while its values are parsed. */
    private static final class Property {
        private final ArrayValue.Builder elements = ArrayValue.newBuilder();
        private Value single = Value.getDefaultInstance();
        private boolean array;

        Value value() {
            return array ? Value.newBuilder().setArrayValue(elements).build() : single;
        }
    }

    private static void property(
            CodedInputStream in, boolean indexed, Map<String, Property> properties, int depth)
            throws IOException {
        int meaning = 0;
        String meaningUri = "";
        String name = "";
        boolean multiple = false;
        byte[] value = new byte[0];
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case PROPERTY_MEANING -> meaning = in.readEnum();
                case PROPERTY_MEANING_URI -> meaningUri = in.readString();
                case PROPERTY_NAME -> name = in.readString();
                case PROPERTY_MULTIPLE -> multiple = in.readBool();
                case PROPERTY_VALUE -> value = in.readByteArray();
                default -> in.skipField(tag);
            }
        }
        Value read =
                PropertyValue.read(CodedInputStream.newInstance(value), depth)
                        .asValue(meaning, meaningUri, indexed);
        Property property = properties.computeIfAbsent(name, _ -> new Property());
        if (read.hasArrayValue()) {
            property.array = true;
        } else if (multiple) {
            property.array = true;
            property.elements.addValues(read);
        } else {
            property.single = read;
        }
    }

    private static Key reference(CodedInputStream in) throws IOException {
        KeyParts key = new KeyParts();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case REFERENCE_APP -> key.app(in.readString());
                case REFERENCE_NAMESPACE -> key.namespace(in.readString());
                case REFERENCE_DATABASE -> key.database(in.readString());
                case REFERENCE_PATH -> path(sub(in), key);
                default -> in.skipField(tag);
            }
        }
        return key.key();
    }

    private static void path(CodedInputStream in, KeyParts key) throws IOException {
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (WireFormat.getTagFieldNumber(tag) == PATH_ELEMENT) {
                key.element(in, PATH_ELEMENT, ELEMENT_KIND, ELEMENT_ID, ELEMENT_NAME);
            } else {
                in.skipField(tag);
            }
        }
    }

    private static CodedInputStream sub(CodedInputStream in) throws IOException {
        ByteString bytes = in.readBytes();
        return bytes.newCodedInput();
    }
}
