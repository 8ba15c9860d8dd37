package petrichor.frontends.datastore;

import java.nio.charset.StandardCharsets;
import petrichor.base.PetrichorException;

/**
 * Scans JSON in one pass without building objects, and refuses input that would be expensive to
 * parse: long numbers (protobuf's parser takes quadratic time for their digits, also inside quotes
 * if the field is a number), deep nesting, long lists. Accepts strict JSON only (RFC 8259, and bare
 * words such as NaN), so that the lenient parser sees the same elements. Confined to one thread.
 */
final class JsonScan {
    /** A double written in full may have about 60 characters; no legitimate number is longer. */
    static final int SCALAR_BYTES_MAX = 100;

    private static final RequestShape.Field UNKNOWN =
            new RequestShape.Field(RequestShape.Kind.SCALAR, false, null);

    private final byte[] body;
    private int at;
    private long elements;

    private JsonScan(byte[] body) {
        this.body = body;
    }

    /** INVALID_ARGUMENT for invalid JSON and for input that would be too expensive to parse. */
    static RequestMeasure measure(RequestShape shape, byte[] body) {
        JsonScan scan = new JsonScan(body);
        scan.skipSpace();
        if (scan.at < body.length) {
            scan.value(new RequestShape.Field(RequestShape.Kind.MESSAGE, false, shape), "body", 0);
            scan.skipSpace();
            if (scan.at < body.length) {
                throw scan.malformed();
            }
        }
        return new RequestMeasure(body.length, scan.elements);
    }

    private void value(RequestShape.Field field, String name, int depth) {
        elements++;
        if (depth > RequestMeasure.DEPTH_MAX) {
            throw RequestMeasure.tooDeep();
        }
        switch (peek()) {
            case '{' -> object(field, depth);
            case '[' -> array(field, name, depth);
            case '"' -> {
                int from = at;
                string();
                if (field.kind() != RequestShape.Kind.TEXT) {
                    requireShort(name, at - from);
                }
            }
            default -> requireShort(name, displayName());
        }
    }

    private void object(RequestShape.Field field, int depth) {
        at++;
        skipSpace();
        if (peek() == '}') {
            at++;
            return;
        }
        while (true) {
            skipSpace();
            if (peek() != '"') {
                throw malformed();
            }
            int from = at + 1;
            string();
            String name = name(from, at - 1);
            elements++;
            skipSpace();
            expect(':');
            skipSpace();
            value(inside(field, name), name, depth + 1);
            skipSpace();
            if (peek() == '}') {
                at++;
                return;
            }
            expect(',');
        }
    }

    /** The type of a field; for an unknown field, a type without long values. */
    private static RequestShape.Field inside(RequestShape.Field object, String name) {
        RequestShape message = object.message();
        if (message == null) {
            return UNKNOWN;
        }
        if (object.kind() == RequestShape.Kind.MAP) {
            return new RequestShape.Field(RequestShape.Kind.MESSAGE, false, message);
        }
        RequestShape.Field field = message.field(name);
        return field == null ? UNKNOWN : field;
    }

    private void array(RequestShape.Field field, String name, int depth) {
        at++;
        skipSpace();
        if (peek() == ']') {
            at++;
            return;
        }
        int count = 0;
        while (true) {
            skipSpace();
            if (depth <= 1 && ++count > RequestMeasure.LIST_ELEMENTS_MAX) {
                throw RequestMeasure.tooManyInList();
            }
            value(field, name, depth + 1);
            skipSpace();
            if (peek() == ']') {
                at++;
                return;
            }
            expect(',');
        }
    }

    private void string() {
        at++;
        while (at < body.length) {
            switch (body[at++]) {
                case '"' -> {
                    return;
                }
                case '\\' -> at++;
                default -> {}
            }
        }
        throw malformed();
    }

    /** Skips a number, true, false, null or NaN and returns its length. */
    private int displayName() {
        int from = at;
        while (at < body.length && isPartOfWord(body[at])) {
            at++;
        }
        if (at == from) {
            throw malformed();
        }
        return at - from;
    }

    private static boolean isPartOfWord(byte next) {
        return (next >= '0' && next <= '9')
                || (next >= 'a' && next <= 'z')
                || (next >= 'A' && next <= 'Z')
                || next == '-'
                || next == '+'
                || next == '.';
    }

    private void requireShort(String name, int length) {
        if (length > SCALAR_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "the field {name} has a value of {length} characters; a number, a name of a"
                            + " constant or a time has at most "
                            + SCALAR_BYTES_MAX,
                    "name",
                    name,
                    "length",
                    length);
        }
    }

    /** Names longer than those of all fields are treated as unknown. */
    private String name(int from, int to) {
        return new String(
                body, from, Math.min(to - from, SCALAR_BYTES_MAX), StandardCharsets.UTF_8);
    }

    private byte peek() {
        if (at >= body.length) {
            throw malformed();
        }
        return body[at];
    }

    private void expect(char expected) {
        if (peek() != expected) {
            throw malformed();
        }
        at++;
    }

    private void skipSpace() {
        while (at < body.length && isSpace(body[at])) {
            at++;
        }
    }

    private static boolean isSpace(byte next) {
        return next == ' ' || next == '\n' || next == '\r' || next == '\t';
    }

    private PetrichorException malformed() {
        return at >= body.length
                ? PetrichorException.invalid("the text ends in the middle of a value")
                : PetrichorException.invalid("unexpected character at byte {byte}", "byte", at);
    }
}
