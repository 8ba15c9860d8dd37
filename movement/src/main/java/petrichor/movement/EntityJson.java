package petrichor.movement;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Converts entities to and from one line of JSON: the standard JSON form of
 * google.datastore.v1.Entity, as in the REST API. The conversion is lossless, except for the sign
 * of a negative zero, which protobuf's JSON reader drops. Thread-safe.
 */
final class EntityJson {
    private static final JsonFormat.Printer PRINTER =
            JsonFormat.printer().omittingInsignificantWhitespace();
    private static final JsonFormat.Parser PARSER = JsonFormat.parser();

    private EntityJson() {}

    static String line(Entity entity) {
        try {
            return PRINTER.print(entity);
        } catch (InvalidProtocolBufferException impossible) {
            // Only an unknown Any type can cause this, and entities contain none.
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    impossible,
                    "an entity has no JSON form: {reason}",
                    "reason",
                    impossible.getMessage());
        }
    }

    /** INVALID_ARGUMENT with the reason if the line is not an entity with a complete key. */
    static Entity parse(String line) {
        Entity.Builder entity = Entity.newBuilder();
        try {
            PARSER.merge(line, entity);
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.invalid(
                    "{reason}", "reason", firstLine(malformed.getMessage()));
        }
        requireCompleteKey(entity.getKey());
        return entity.build();
    }

    private static void requireCompleteKey(Key key) {
        if (key.getPathCount() == 0) {
            throw PetrichorException.invalid("the entity has no key");
        }
        Key.PathElement last = key.getPath(key.getPathCount() - 1);
        if (last.getKind().isEmpty()
                || last.getIdTypeCase() == Key.PathElement.IdTypeCase.IDTYPE_NOT_SET) {
            throw PetrichorException.invalid(
                    "the entity's key is incomplete: its last element needs a kind and an id or a"
                            + " name");
        }
    }

    private static String firstLine(@org.jspecify.annotations.Nullable String text) {
        if (text == null) {
            return "not JSON";
        }
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }
}
