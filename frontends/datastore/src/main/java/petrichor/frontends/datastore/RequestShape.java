package petrichor.frontends.datastore;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a message type and the types of nested messages, as needed by the scanners that
 * measure an encoded request before it is parsed. Immutable once {@link #of} has returned.
 */
final class RequestShape {
    /**
     * @param kind of its values
     * @param repeated whether it is a list or a map
     * @param message type of its values; null unless they are messages
     */
    record Field(Kind kind, boolean repeated, @Nullable RequestShape message) {}

    enum Kind {
        /** Text or bytes: long values are valid. */
        TEXT,
        /** Numbers, booleans and enum names: parsing a long one would be expensive. */
        SCALAR,
        MESSAGE,
        /** A JSON object with keys chosen by the client; its values have one message type. */
        MAP
    }

    private final Map<Integer, Field> byNumber = new HashMap<>();
    private final Map<String, Field> byName = new HashMap<>();

    private RequestShape() {}

    static RequestShape of(Descriptor type) {
        return of(type, new HashMap<>());
    }

    private static RequestShape of(Descriptor type, Map<String, RequestShape> known) {
        RequestShape shape = known.get(type.getFullName());
        if (shape == null) {
            shape = new RequestShape();
            known.put(type.getFullName(), shape);
            for (FieldDescriptor field : type.getFields()) {
                shape.add(field, known);
            }
        }
        return shape;
    }

    private void add(FieldDescriptor field, Map<String, RequestShape> known) {
        switch (field.getJavaType()) {
            case MESSAGE -> {
                RequestShape message = of(field.getMessageType(), known);
                Kind inJson = field.isMapField() ? Kind.MAP : Kind.MESSAGE;
                RequestShape values =
                        field.isMapField()
                                ? of(
                                        field.getMessageType()
                                                .findFieldByName("value")
                                                .getMessageType(),
                                        known)
                                : message;
                byNumber.put(
                        field.getNumber(), new Field(Kind.MESSAGE, field.isRepeated(), message));
                name(field, new Field(inJson, field.isRepeated(), values));
            }
            case STRING, BYTE_STRING -> scalar(field, Kind.TEXT);
            case INT, LONG, FLOAT, DOUBLE, BOOLEAN, ENUM -> scalar(field, Kind.SCALAR);
        }
    }

    private void scalar(FieldDescriptor field, Kind kind) {
        Field known = new Field(kind, field.isRepeated(), null);
        byNumber.put(field.getNumber(), known);
        name(field, known);
    }

    private void name(FieldDescriptor field, Field known) {
        byName.put(field.getName(), known);
        byName.put(field.getJsonName(), known);
    }

    /** Null if the type has no such field. */
    @Nullable Field field(int number) {
        return byNumber.get(number);
    }

    /** By its name in JSON or in the .proto file; null if the type has no such field. */
    @Nullable Field field(String name) {
        return byName.get(name);
    }
}
