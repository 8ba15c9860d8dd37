package petrichor.entities.gql;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.GqlQueryParameter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.NullValue;
import com.google.protobuf.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.Locale;
import petrichor.base.PetrichorException;
import petrichor.entities.gql.Token.Kind;

/** Parses values: bindings, literals, and the typed literals BLOB, DATETIME, KEY and ARRAY. */
final class ValueParser {
    private final TokenStream tokens;
    private final Bindings bindings;
    private final boolean literalsAllowed;
    private final PartitionId partition;

    ValueParser(
            TokenStream tokens, Bindings bindings, boolean literalsAllowed, PartitionId partition) {
        this.tokens = tokens;
        this.bindings = bindings;
        this.literalsAllowed = literalsAllowed;
        this.partition = partition;
    }

    Value value() {
        Token token = tokens.take();
        if (token.kind() == Kind.BINDING) {
            GqlQueryParameter parameter = bindings.find(token);
            if (!parameter.hasValue()) {
                throw token.failure("@" + token.text() + " is a cursor; a value is needed here");
            }
            return parameter.getValue();
        }
        if (token.isWord("ARRAY") && tokens.peek().isSymbol("(")) {
            return array();
        }
        Value value = literal(token);
        if (!literalsAllowed) {
            throw literalsForbidden(token);
        }
        return value;
    }

    static PetrichorException literalsForbidden(Token token) {
        return token.failure(
                "the literal "
                        + token.shown()
                        + " is not allowed: bind the value (@name), or set allow_literals");
    }

    private Value array() {
        tokens.requireSymbol("(");
        ArrayValue.Builder elements = ArrayValue.newBuilder();
        if (!tokens.peek().isSymbol(")")) {
            do {
                Token at = tokens.peek();
                Value element = value();
                if (element.hasArrayValue()) {
                    throw at.failure("an array cannot hold another array");
                }
                elements.addValues(element);
            } while (tokens.takeSymbol(","));
        }
        tokens.requireSymbol(")");
        return Value.newBuilder().setArrayValue(elements).build();
    }

    private Value literal(Token token) {
        Value.Builder value = Value.newBuilder();
        switch (token.kind()) {
            case STRING -> value.setStringValue(token.text());
            case INTEGER -> value.setIntegerValue(integer(token));
            case DOUBLE -> value.setDoubleValue(Double.parseDouble(token.text()));
            case WORD -> displayName(token, value);
            case QUOTED_NAME, BINDING, SYMBOL, END -> throw token.expected("a value");
        }
        return value.build();
    }

    private void displayName(Token token, Value.Builder value) {
        switch (token.upperCase()) {
            case "NULL" -> value.setNullValue(NullValue.NULL_VALUE);
            case "TRUE" -> value.setBooleanValue(true);
            case "FALSE" -> value.setBooleanValue(false);
            case "BLOB", "BLOBLITERAL" -> value.setBlobValue(blob());
            case "DATETIME" -> value.setTimestampValue(timestamp());
            case "KEY" -> value.setKeyValue(key());
            default ->
                    throw token.expected(
                            "a value: a binding, text in quotes, a number, TRUE, FALSE, NULL,"
                                    + " ARRAY(…), BLOB(…), DATETIME(…) or KEY(…)");
        }
    }

    private static long integer(Token token) {
        try {
            return Long.parseLong(token.text());
        } catch (NumberFormatException _) {
            throw token.expected("a whole number of at most 64 bits");
        }
    }

    private Token parenthesizedText(String what) {
        tokens.requireSymbol("(");
        Token text = tokens.take();
        if (text.kind() != Kind.STRING) {
            throw text.expected(what);
        }
        tokens.requireSymbol(")");
        return text;
    }

    private ByteString blob() {
        Token text = parenthesizedText("base64 text in quotes");
        String base64 = text.text().replace('+', '-').replace('/', '_');
        try {
            return ByteString.copyFrom(Base64.getUrlDecoder().decode(base64));
        } catch (IllegalArgumentException _) {
            throw text.expected("web-safe base64 text in quotes");
        }
    }

    private Timestamp timestamp() {
        Token text = parenthesizedText("a time such as '2013-09-29T09:30:20.00002-08:00'");
        try {
            Instant instant =
                    OffsetDateTime.parse(text.text().toUpperCase(Locale.ROOT)).toInstant();
            return Timestamp.newBuilder()
                    .setSeconds(instant.getEpochSecond())
                    // Datastore keeps microseconds.
                    .setNanos(instant.getNano() / 1000 * 1000)
                    .build();
        } catch (DateTimeException _) {
            throw text.expected("a time such as '2013-09-29T09:30:20.00002-08:00'");
        }
    }

    private Key key() {
        tokens.requireSymbol("(");
        PartitionId.Builder where = partition.toBuilder();
        Key.Builder key = Key.newBuilder();
        do {
            boolean qualified = tokens.peekAhead(1).isSymbol("(");
            if (qualified && key.getPathCount() == 0 && isProject(tokens.peek())) {
                tokens.take();
                where.setProjectId(parenthesizedText("a project in quotes").text());
            } else if (qualified && key.getPathCount() == 0 && tokens.peek().isWord("NAMESPACE")) {
                tokens.take();
                where.setNamespaceId(parenthesizedText("a namespace in quotes").text());
            } else {
                key.addPath(pathElement());
            }
        } while (tokens.takeSymbol(","));
        tokens.requireSymbol(")");
        return key.setPartitionId(where).build();
    }

    private static boolean isProject(Token token) {
        return token.isWord("PROJECT") || token.isWord("DATASET");
    }

    private Key.PathElement pathElement() {
        Key.PathElement.Builder element = Key.PathElement.newBuilder();
        if (tokens.peek().kind() == Kind.STRING) {
            element.setKind(tokens.take().text());
        } else {
            element.setKind(tokens.name("a kind"));
        }
        tokens.requireSymbol(",");
        Token id = tokens.take();
        if (id.kind() == Kind.STRING) {
            return element.setName(id.text()).build();
        }
        if (id.kind() == Kind.INTEGER) {
            return element.setId(integer(id)).build();
        }
        throw id.expected("the name (in quotes) or the number of a key");
    }
}
