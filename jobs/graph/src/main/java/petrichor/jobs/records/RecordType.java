package petrichor.jobs.records;

import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import petrichor.base.PetrichorException;

/**
 * The fields of a record, in order. Immutable; two types with the same fields are equal.
 *
 * <p>The binary form of a record, little-endian:
 *
 * <pre>
 * int32   length of the record in bytes, these four included
 * int32   null bits, one word for every 32 fields
 * 8 bytes per field: the number, or int32 offset (from the record's begin) and int32 length
 * bytes   the variable part
 * </pre>
 *
 * A field that is null has eight zero bytes, so that it reads as zero or as empty.
 */
public final class RecordType implements Serializable {
    private static final long serialVersionUID = 1L;

    /** More fields are refused: such a record should be projected first. */
    public static final int FIELDS_MAX = 1024;

    static final int NULLS_AT = 4;
    static final int SLOT_BYTES = 8;

    @SuppressWarnings(
            "serial") // List.copyOf returns serializable lists; the interface does not declare it
    private final List<Field> fields;

    private final FieldType[] types;
    private final int slotsAt;

    private RecordType(List<Field> fields) {
        this.fields = List.copyOf(fields);
        this.types = this.fields.stream().map(Field::type).toArray(FieldType[]::new);
        this.slotsAt = NULLS_AT + 4 * ((types.length + 31) / 32);
    }

    public static RecordType of(Field... fields) {
        return of(List.of(fields));
    }

    public static RecordType of(List<Field> fields) {
        if (fields.size() > FIELDS_MAX) {
            throw PetrichorException.invalid(
                    "a record of {fieldsCount} fields exceeds the limit of "
                            + FIELDS_MAX
                            + "; read only the fields that the job needs",
                    "fieldsCount",
                    fields.size());
        }
        Set<String> names = new HashSet<>();
        for (Field field : fields) {
            if (!names.add(field.name())) {
                throw PetrichorException.invalid(
                        "two fields of a record have the name {field}", "field", field.name());
            }
        }
        return new RecordType(fields);
    }

    public List<Field> fields() {
        return fields;
    }

    public int size() {
        return types.length;
    }

    public FieldType type(int field) {
        if (field < 0 || field >= types.length) {
            throw noField(field);
        }
        return types[field];
    }

    private PetrichorException noField(int field) {
        return PetrichorException.invalid(
                "there is no field {field}; the fields of {type} are numbered from 0",
                "field",
                field,
                "type",
                this);
    }

    public String name(int field) {
        return fields.get(field).name();
    }

    /** The position of the field with this name. */
    public int position(String name) {
        for (int i = 0; i < types.length; i++) {
            if (fields.get(i).name().equals(name)) {
                return i;
            }
        }
        throw PetrichorException.invalid(
                "there is no field {name} in {type}", "name", name, "type", this);
    }

    /** Offset of the first field's eight bytes. */
    int slotsAt() {
        return slotsAt;
    }

    /** Offset of the variable part: the length of a record without texts. */
    public int fixedBytes() {
        return slotsAt + SLOT_BYTES * types.length;
    }

    PetrichorException mismatch(int field, String used) {
        return PetrichorException.invalid(
                "field {field} ({name}) holds {type}, not {used}",
                "field",
                field,
                "name",
                name(field),
                "type",
                types[field],
                "used",
                used);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof RecordType that && fields.equals(that.fields));
    }

    @Override
    public int hashCode() {
        return fields.hashCode();
    }

    @Override
    public String toString() {
        return fields.stream().map(Field::toString).collect(Collectors.joining(", ", "(", ")"));
    }
}
