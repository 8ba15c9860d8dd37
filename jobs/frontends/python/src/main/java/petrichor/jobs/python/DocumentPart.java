package petrichor.jobs.python;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.FieldType;
import petrichor.jobs.records.RecordType;

/**
 * An object in a plan's document; failures name its path. Immutable as long as the JSON is not
 * modified.
 *
 * @param where its path, for failures
 */
record DocumentPart(JsonObject json, String where) {

    boolean has(String name) {
        return json.has(name) && !json.get(name).isJsonNull();
    }

    String text(String name) {
        return primitive(name).getAsString();
    }

    int whole(String name) {
        return Math.toIntExact(wholeLong(name));
    }

    long wholeLong(String name) {
        try {
            return primitive(name).getAsLong();
        } catch (NumberFormatException e) {
            throw wrong("\"" + name + "\" is not a whole number");
        }
    }

    double number(String name) {
        try {
            return primitive(name).getAsDouble();
        } catch (NumberFormatException e) {
            throw wrong("\"" + name + "\" is not a number");
        }
    }

    boolean yes(String name) {
        return has(name) && primitive(name).getAsBoolean();
    }

    /** The texts of an array; empty if it is missing. */
    List<String> texts(String name) {
        return elements(name).stream().map(JsonElement::getAsString).toList();
    }

    List<Integer> wholes(String name) {
        return elements(name).stream().map(JsonElement::getAsInt).toList();
    }

    /** The objects of an array; empty if it is missing. */
    List<DocumentPart> parts(String name) {
        List<DocumentPart> parts = new ArrayList<>();
        for (var element : elements(name)) {
            if (!element.isJsonObject()) {
                throw wrong("\"" + name + "\" contains a value that is not an object");
            }
            parts.add(new DocumentPart(element.getAsJsonObject(), where));
        }
        return parts;
    }

    DocumentPart part(String name) {
        if (!has(name) || !json.get(name).isJsonObject()) {
            throw wrong("it has no object \"" + name + "\"");
        }
        return new DocumentPart(json.getAsJsonObject(name), where);
    }

    Field field() {
        String type = text("type");
        try {
            return new Field(text("name"), FieldType.valueOf(type));
        } catch (IllegalArgumentException e) {
            throw wrong("\"" + type + "\" is not a field type");
        }
    }

    RecordType type(String name) {
        return RecordType.of(parts(name).stream().map(DocumentPart::field).toList());
    }

    PetrichorException wrong(String what) {
        return PetrichorException.invalid(
                "{location}: {problem}", "location", where, "problem", what);
    }

    private List<JsonElement> elements(String name) {
        if (!has(name)) {
            return List.of();
        }
        if (!(json.get(name) instanceof JsonArray array)) {
            throw wrong("\"" + name + "\" is not an array");
        }
        return StreamSupport.stream(array.spliterator(), false).toList();
    }

    private JsonElement primitive(String name) {
        if (!has(name) || !json.get(name).isJsonPrimitive()) {
            throw wrong("it has no \"" + name + "\"");
        }
        return json.get(name);
    }
}
