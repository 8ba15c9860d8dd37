package petrichor.jobs.records;

import java.io.Serializable;
import petrichor.base.PetrichorException;

/** A field of a record: its name, unique within its record, and its type. Always nullable. */
public record Field(String name, FieldType type) implements Serializable {
    public Field {
        if (name.isBlank()) {
            throw PetrichorException.invalid("a field needs a name");
        }
    }

    public static Field bool(String name) {
        return new Field(name, FieldType.BOOLEAN);
    }

    public static Field int32(String name) {
        return new Field(name, FieldType.INT32);
    }

    public static Field int64(String name) {
        return new Field(name, FieldType.INT64);
    }

    public static Field float64(String name) {
        return new Field(name, FieldType.FLOAT64);
    }

    public static Field text(String name) {
        return new Field(name, FieldType.TEXT);
    }

    public static Field bytes(String name) {
        return new Field(name, FieldType.BYTES);
    }

    @Override
    public String toString() {
        return name + " " + type;
    }
}
