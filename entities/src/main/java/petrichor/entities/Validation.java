package petrichor.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import com.google.type.LatLng;
import java.util.Map;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * Validates keys and entities of a request against the documented rules; violations are
 * INVALID_ARGUMENT with a text that names the place. Where Google's text is known it is used
 * verbatim, because users of its clients match it. Stateless.
 */
public final class Validation {
    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z\\d.\\-_]{0,100}");

    /** The meaning of values that came from an index: they cannot be written back. */
    private static final int INDEX_VALUE_MEANING = 18;

    private Validation() {}

    /** Required completeness of a key. */
    public enum Completeness {
        /** The last element must have an id or a name. */
        COMPLETE,
        /** The last element must have neither an id nor a name. */
        INCOMPLETE,
        /** The last element may or may not have an id or a name. */
        EITHER
    }

    /**
     * The key with its partition filled in from the request, which must be the same database.
     * Returns the same object if nothing has to be filled in.
     */
    public static Key ownKey(String project, String database, Key key, Completeness completeness) {
        PartitionId partition = key.getPartitionId();
        if (!partition.getProjectId().equals(project)
                || !partition.getDatabaseId().equals(database)) {
            requireSame("project", project, partition.getProjectId());
            requireSame("database", database, partition.getDatabaseId());
            key =
                    key.toBuilder()
                            .setPartitionId(
                                    partition.toBuilder()
                                            .setProjectId(project)
                                            .setDatabaseId(database))
                            .build();
        }
        requireKey(key, completeness);
        return key;
    }

    private static void requireSame(String what, String ofRequest, String ofKey) {
        if (!ofKey.isEmpty() && !ofKey.equals(ofRequest)) {
            throw PetrichorException.invalid(
                    "Mismatched {part}s within the request: the request names \"{requestName}\", a"
                            + " key names \"{keyName}\".",
                    "part",
                    what,
                    "requestName",
                    ofRequest,
                    "keyName",
                    Texts.shortened(ofKey));
        }
    }

    /** Any key, including a key of another project as a property value. */
    public static void requireKey(Key key, Completeness completeness) {
        requireNamespace(key.getPartitionId().getNamespaceId());
        int elements = key.getPathCount();
        if (elements == 0) {
            throw PetrichorException.invalid("The key path must have at least one element.");
        }
        if (elements > Limits.PATH_ELEMENTS_MAX) {
            throw PetrichorException.invalid(
                    "The key path has {elements} elements; it may have at most "
                            + Limits.PATH_ELEMENTS_MAX
                            + ".",
                    "elements",
                    elements);
        }
        int bytes = 0;
        for (int i = 0; i < elements; i++) {
            bytes += requireElement(key, i, completeness);
        }
        if (bytes > Limits.KEY_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "The key is longer than " + Limits.KEY_BYTES_MAX + " bytes.");
        }
    }

    /** Returns its encoded size in bytes. */
    private static int requireElement(Key key, int index, Completeness completeness) {
        Key.PathElement element = key.getPath(index);
        boolean ancestor = index < key.getPathCount() - 1;
        int kindBytes = Texts.utf8Bytes(element.getKind());
        if (kindBytes == 0) {
            throw PetrichorException.invalid("The kind of a key path element must not be empty.");
        }
        requireLength("key path element kind", kindBytes);
        return kindBytes
                + switch (element.getIdTypeCase()) {
                    case ID -> {
                        requireId(element);
                        if (!ancestor) {
                            refuseComplete(element, completeness);
                        }
                        yield Long.BYTES;
                    }
                    case NAME -> {
                        int nameBytes = Texts.utf8Bytes(element.getName());
                        if (nameBytes == 0) {
                            throw PetrichorException.invalid(
                                    "The name in a key path element must not be empty.");
                        }
                        requireLength("key path element name", nameBytes);
                        if (!ancestor) {
                            refuseComplete(element, completeness);
                        }
                        yield nameBytes;
                    }
                    case IDTYPE_NOT_SET -> {
                        if (ancestor || completeness == Completeness.COMPLETE) {
                            throw PetrichorException.invalid(
                                    "Key path element must not be incomplete: {key}",
                                    "key",
                                    KeyText.elements(key));
                        }
                        yield 0;
                    }
                };
    }

    private static void requireId(Key.PathElement element) {
        if (element.getId() <= 0) {
            throw PetrichorException.invalid(
                    "The id {id} of the key path element of kind \"{kind}\" must be greater than"
                            + " zero.",
                    "id",
                    element.getId(),
                    "kind",
                    Texts.shortened(element.getKind()));
        }
    }

    private static void refuseComplete(Key.PathElement element, Completeness completeness) {
        if (completeness == Completeness.INCOMPLETE) {
            throw PetrichorException.invalid(
                    "The key path element of kind \"{kind}\" must be incomplete: it has an id or a"
                            + " name already.",
                    "kind",
                    Texts.shortened(element.getKind()));
        }
    }

    private static void requireLength(String what, int bytes) {
        if (bytes > Limits.NAME_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "The {part} is longer than " + Limits.NAME_BYTES_MAX + " bytes.", "part", what);
        }
    }

    public static void requireNamespace(String namespace) {
        if (!namespace.isEmpty() && !NAMESPACE.matcher(namespace).matches()) {
            throw PetrichorException.invalid(
                    "The namespace id \"{namespace}\" must consist of at most 100 letters, digits,"
                            + " '.', '-' and '_'.",
                    "namespace",
                    Texts.shortened(namespace));
        }
    }

    /** Whether the name of a kind, key, namespace or property has two underscores on both sides. */
    public static boolean reserved(String name) {
        return name.length() >= 4 && name.startsWith("__") && name.endsWith("__");
    }

    /** Reserved keys can be read but not written. */
    public static void requireWritable(Key key) {
        boolean reserved = reserved(key.getPartitionId().getNamespaceId());
        for (Key.PathElement element : key.getPathList()) {
            reserved |= reserved(element.getKind()) || reserved(element.getName());
        }
        if (reserved) {
            throw PetrichorException.invalid(
                    "The key {key} is reserved: kinds, names and namespaces of the form __…__ are"
                            + " read-only.",
                    "key",
                    KeyText.of(key));
        }
    }

    /** Validates everything in an entity except its key. */
    public static void requireProperties(Entity entity) {
        for (Map.Entry<String, Value> property : entity.getPropertiesMap().entrySet()) {
            requireProperty(property.getKey(), property.getValue(), true, 0);
        }
    }

    private static void requireProperty(String name, Value value, boolean indexed, int depth) {
        if (name.isEmpty()) {
            throw PetrichorException.invalid("The name of a property must not be empty.");
        }
        requireLength("property name", Texts.utf8Bytes(name));
        if (reserved(name)) {
            throw PetrichorException.invalid(
                    "The property name \"{name}\" is reserved.", "name", Texts.shortened(name));
        }
        requireValue(name, value, indexed, depth);
    }

    private static void requireValue(String name, Value value, boolean indexed, int depth) {
        boolean valueIndexed = indexed && !value.getExcludeFromIndexes();
        if (value.getMeaning() == INDEX_VALUE_MEANING) {
            throw PetrichorException.invalid(
                    "{value} comes from an index (its meaning is 18) and can't be written.",
                    "value",
                    of(name));
        }
        switch (value.getValueTypeCase()) {
            case STRING_VALUE -> {
                String text = value.getStringValue();
                if (text.length()
                        > Limits.INDEXED_VALUE_BYTES_MAX / Texts.UTF8_BYTES_PER_CHAR_MAX) {
                    requireSize(name, Texts.utf8Bytes(text), valueIndexed);
                }
            }
            case BLOB_VALUE -> requireSize(name, value.getBlobValue().size(), valueIndexed);
            case TIMESTAMP_VALUE -> requireTimestamp(name, value.getTimestampValue());
            case GEO_POINT_VALUE -> requireGeoPoint(name, value.getGeoPointValue());
            case KEY_VALUE -> requireKey(value.getKeyValue(), Completeness.COMPLETE);
            case ENTITY_VALUE -> {
                if (depth >= Limits.NESTING_MAX) {
                    throw PetrichorException.invalid(
                            "{value} is nested deeper than "
                                    + Limits.NESTING_MAX
                                    + " embedded entities.",
                            "value",
                            of(name));
                }
                for (Map.Entry<String, Value> property :
                        value.getEntityValue().getPropertiesMap().entrySet()) {
                    requireProperty(
                            property.getKey(), property.getValue(), valueIndexed, depth + 1);
                }
            }
            case ARRAY_VALUE -> {
                for (Value element : value.getArrayValue().getValuesList()) {
                    if (element.hasArrayValue()) {
                        throw PetrichorException.invalid(
                                "{value} is an array in an array, which is not allowed.",
                                "value",
                                of(name));
                    }
                    requireValue(name, element, valueIndexed, depth);
                }
            }
            case NULL_VALUE, BOOLEAN_VALUE, INTEGER_VALUE, DOUBLE_VALUE -> {}
            case VALUETYPE_NOT_SET ->
                    throw PetrichorException.invalid(
                            "{value} has no value; use null_value for null.", "value", of(name));
        }
    }

    private static void requireSize(String name, int bytes, boolean indexed) {
        if (indexed && bytes > Limits.INDEXED_VALUE_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "{value} is longer than " + Limits.INDEXED_VALUE_BYTES_MAX + " bytes.",
                    "value",
                    of(name));
        }
        if (bytes > Limits.VALUE_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "{value} is longer than " + Limits.VALUE_BYTES_MAX + " bytes.",
                    "value",
                    of(name));
        }
    }

    private static void requireTimestamp(String name, Timestamp timestamp) {
        if (!Timestamps.isValid(timestamp)) {
            throw PetrichorException.invalid(
                    "{value} is not a timestamp between the years 1 and 9999.", "value", of(name));
        }
    }

    private static void requireGeoPoint(String name, LatLng point) {
        // Negated so that NaN fails too.
        if (!(Math.abs(point.getLatitude()) <= 90) || !(Math.abs(point.getLongitude()) <= 180)) {
            throw PetrichorException.invalid(
                    "{value} is not a point on earth: its latitude must be in [-90, 90], its"
                            + " longitude in [-180, 180].",
                    "value",
                    of(name));
        }
    }

    private static String of(String property) {
        return "The value of property \"" + Texts.shortened(property) + "\"";
    }
}
