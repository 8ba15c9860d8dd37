package petrichor.jobs.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import com.google.protobuf.Timestamp;
import java.util.stream.Collectors;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.FieldType;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;

/**
 * Converts entities to records. A property that is missing or null is null; one that does not fit
 * into its field fails with the entity's key. Belongs to one thread.
 */
final class EntityToRecord {
    /** The field of the key, as in Datastore. */
    static final String KEY = "__key__";

    private static final long MICROS_PER_SECOND = 1_000_000;

    private final RecordType type;

    EntityToRecord(RecordType type) {
        this.type = type;
    }

    void emit(Entity entity, Out out) {
        var record = out.record();
        for (int field = 0; field < type.size(); field++) {
            var name = type.name(field);
            if (name.equals(KEY)) {
                key(entity, field, record);
            } else {
                var value = entity.getPropertiesOrDefault(name, Value.getDefaultInstance());
                property(entity, value, field, record);
            }
        }
        record.emit();
    }

    private void key(Entity entity, int field, RecordBuilder record) {
        var last = entity.getKey().getPath(entity.getKey().getPathCount() - 1);
        switch (type.type(field)) {
            case BYTES -> record.bytes(field, entity.getKey().toByteArray());
            case TEXT -> {
                if (last.getName().isEmpty()) {
                    throw PetrichorException.invalid(
                            "{entity} has an id and no name: read " + KEY + " as INT64",
                            "entity",
                            shown(entity));
                }
                record.text(field, last.getName());
            }
            case INT64 -> {
                if (last.getId() == 0) {
                    throw PetrichorException.invalid(
                            "{entity} has a name and no id: read " + KEY + " as TEXT",
                            "entity",
                            shown(entity));
                }
                record.int64(field, last.getId());
            }
            case BOOLEAN, INT32, FLOAT64 ->
                    throw PetrichorException.invalid(
                            KEY + " is a name (TEXT), an id (INT64) or a whole key (BYTES)");
        }
    }

    private void property(Entity entity, Value value, int field, RecordBuilder record) {
        switch (value.getValueTypeCase()) {
            case NULL_VALUE, VALUETYPE_NOT_SET -> record.setNull(field);
            case BOOLEAN_VALUE -> {
                check(entity, value, field, type.type(field) == FieldType.BOOLEAN);
                record.bool(field, value.getBooleanValue());
            }
            case INTEGER_VALUE -> integer(entity, value, field, record);
            case DOUBLE_VALUE -> {
                check(entity, value, field, type.type(field) == FieldType.FLOAT64);
                record.float64(field, value.getDoubleValue());
            }
            case STRING_VALUE -> {
                check(entity, value, field, type.type(field) == FieldType.TEXT);
                record.text(field, value.getStringValue());
            }
            case BLOB_VALUE -> {
                check(entity, value, field, type.type(field) == FieldType.BYTES);
                record.bytes(field, value.getBlobValue().toByteArray());
            }
            case TIMESTAMP_VALUE -> {
                check(entity, value, field, type.type(field) == FieldType.INT64);
                record.int64(field, micros(value.getTimestampValue()));
            }
            case KEY_VALUE, GEO_POINT_VALUE, ENTITY_VALUE, ARRAY_VALUE ->
                    check(entity, value, field, false);
        }
    }

    private void integer(Entity entity, Value value, int field, RecordBuilder record) {
        long number = value.getIntegerValue();
        switch (type.type(field)) {
            case INT64 -> record.int64(field, number);
            case INT32 -> {
                check(entity, value, field, number == (int) number);
                record.int32(field, (int) number);
            }
            case FLOAT64 -> {
                check(entity, value, field, number == (long) (double) number);
                record.float64(field, (double) number);
            }
            case BOOLEAN, TEXT, BYTES -> check(entity, value, field, false);
        }
    }

    private static long micros(Timestamp time) {
        return Math.addExact(
                Math.multiplyExact(time.getSeconds(), MICROS_PER_SECOND), time.getNanos() / 1_000);
    }

    private void check(Entity entity, Value value, int field, boolean fits) {
        if (!fits) {
            var held =
                    value.hasIntegerValue()
                            ? Long.toString(value.getIntegerValue())
                            : value.getValueTypeCase().name().replace("_VALUE", "");
            throw PetrichorException.invalid(
                    "property {name} of {entity} is {value}, which does not fit into a field of"
                            + " {type}",
                    "name",
                    type.name(field),
                    "entity",
                    shown(entity),
                    "value",
                    held,
                    "type",
                    type.type(field));
        }
    }

    /** For messages: City "IS/Akranes". */
    static String shown(Entity entity) {
        return entity.getKey().getPathList().stream()
                .map(EntityToRecord::shown)
                .collect(Collectors.joining(" / "));
    }

    private static String shown(Key.PathElement element) {
        return element.getKind()
                + (element.getName().isEmpty()
                        ? " " + element.getId()
                        : " \"" + element.getName() + "\"");
    }
}
