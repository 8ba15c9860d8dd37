package petrichor.frontends.appengine.datastore;

import com.google.storage.onestore.v3.proto2api.OnestoreEntity.EntityProto;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property.Meaning;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.PropertyValue;
import java.util.EnumSet;
import java.util.Set;
import petrichor.entities.Limits;
import petrichor.entities.Validation;

/**
 * The rules of this API for an entity to be written, with the texts of Google's SDKs. The entity
 * layer checks the rest. Stateless.
 */
final class EntityCheck {
    private static final int LINK_BYTES_MAX = 2_083;

    private static final Set<Meaning> RAW =
            EnumSet.of(Meaning.BLOB, Meaning.ENTITY_PROTO, Meaning.TEXT);

    private EntityCheck() {}

    static void check(EntityProto entity) {
        for (Property property : entity.getPropertyList()) {
            check(property, true);
        }
        for (Property property : entity.getRawPropertyList()) {
            check(property, false);
        }
    }

    private static void check(Property property, boolean indexed) {
        V3Error.check(property.getNameBytes().isValidUtf8(), "property name is not valid UTF-8.");
        String name = property.getName();
        V3Error.check(
                !Validation.reserved(name),
                "cannot store entity with reserved property name '" + name + "'");
        V3Error.check(
                property.getMeaning() != Meaning.INDEX_VALUE,
                "Entities with incomplete properties cannot be written.");
        boolean raw = RAW.contains(property.getMeaning());
        // Java's SDK indexes the properties of embedded entities, unlike Python's.
        boolean embedded = property.getMeaning() == Meaning.ENTITY_PROTO;
        if (indexed) {
            V3Error.check(
                    !raw || embedded,
                    "BLOB, ENITY_PROTO or TEXT property "
                            + name
                            + " must be in a raw_property field");
        } else if (raw) {
            V3Error.check(
                    property.getValue().hasStringValue(),
                    "BLOB / ENTITY_PROTO / TEXT raw property "
                            + name
                            + " must have a string value");
        }
        check(
                property,
                indexed && !embedded ? Limits.INDEXED_VALUE_BYTES_MAX : Limits.VALUE_BYTES_MAX);
    }

    private static void check(Property property, int usualBytesMax) {
        String name = property.getName();
        PropertyValue value = property.getValue();
        V3Error.check(
                values(value) <= 1, "PropertyValue for " + name + " has multiple value fields set");
        if (!value.hasStringValue()) {
            return;
        }
        Meaning meaning = property.getMeaning();
        int bytesMax = meaning == Meaning.ATOM_LINK ? LINK_BYTES_MAX : usualBytesMax;
        V3Error.check(
                value.getStringValueBytes().size() <= bytesMax,
                "Property " + name + " is too long. Maximum length is " + bytesMax + ".");
        V3Error.check(
                RAW.contains(meaning)
                        || meaning == Meaning.BYTESTRING
                        || value.getStringValueBytes().isValidUtf8(),
                "String property \"" + name + "\" value is not valid UTF-8.");
    }

    private static int values(PropertyValue value) {
        return (value.hasInt64Value() ? 1 : 0)
                + (value.hasStringValue() ? 1 : 0)
                + (value.hasBooleanValue() ? 1 : 0)
                + (value.hasDoubleValue() ? 1 : 0)
                + (value.hasPointValue() ? 1 : 0)
                + (value.hasUserValue() ? 1 : 0)
                + (value.hasReferenceValue() ? 1 : 0);
    }
}
