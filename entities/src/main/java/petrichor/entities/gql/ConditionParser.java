package petrichor.entities.gql;

import com.google.datastore.v1.CompositeFilter;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyFilter.Operator;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Value;
import com.google.protobuf.NullValue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import petrichor.entities.gql.Token.Kind;

/** Parses the WHERE clause: OR of ANDs of comparisons, with parentheses. */
final class ConditionParser {
    /** Deeper nesting is refused, so that no text overflows the stack. */
    static final int NESTING_MAX = 100;

    private final TokenStream tokens;
    private final ValueParser values;
    private int nesting;

    ConditionParser(TokenStream tokens, ValueParser values) {
        this.tokens = tokens;
        this.values = values;
    }

    Filter condition() {
        return joined(
                "OR",
                CompositeFilter.Operator.OR,
                () -> joined("AND", CompositeFilter.Operator.AND, this::primary));
    }

    private Filter joined(String word, CompositeFilter.Operator operator, Supplier<Filter> part) {
        List<Filter> parts = new ArrayList<>();
        do {
            parts.add(part.get());
        } while (tokens.takeWord(word));
        return parts.size() == 1
                ? parts.getFirst()
                : Filter.newBuilder()
                        .setCompositeFilter(
                                CompositeFilter.newBuilder().setOp(operator).addAllFilters(parts))
                        .build();
    }

    private Filter primary() {
        Token open = tokens.peek();
        if (!tokens.takeSymbol("(")) {
            return comparison();
        }
        if (++nesting > NESTING_MAX) {
            throw open.failure("conditions are nested more than " + NESTING_MAX + " deep");
        }
        Filter filter = condition();
        tokens.requireSymbol(")");
        nesting--;
        return filter;
    }

    private Filter comparison() {
        if (!tokens.startsProperty()) {
            return reversed();
        }
        String property = tokens.propertyName();
        if (tokens.takeWord("IS")) {
            tokens.requireWord("NULL");
            return filter(
                    property,
                    Operator.EQUAL,
                    Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build());
        }
        Operator operator = operator();
        Token at = tokens.peek();
        Value value = values.value();
        if ((operator == Operator.IN || operator == Operator.NOT_IN) && !value.hasArrayValue()) {
            throw at.expected("ARRAY(…) or a binding with an array");
        }
        return filter(property, operator, value);
    }

    private Operator operator() {
        Token token = tokens.take();
        Operator operator =
                switch (token.kind() == Kind.SYMBOL ? token.text() : token.upperCase()) {
                    case "=", "CONTAINS" -> Operator.EQUAL;
                    case "!=" -> Operator.NOT_EQUAL;
                    case "<" -> Operator.LESS_THAN;
                    case "<=" -> Operator.LESS_THAN_OR_EQUAL;
                    case ">" -> Operator.GREATER_THAN;
                    case ">=" -> Operator.GREATER_THAN_OR_EQUAL;
                    case "IN" -> Operator.IN;
                    case "NOT" -> Operator.NOT_IN;
                    case "HAS" -> Operator.HAS_ANCESTOR;
                    default -> null;
                };
        if (operator == Operator.NOT_IN) {
            tokens.requireWord("IN");
        } else if (operator == Operator.HAS_ANCESTOR) {
            tokens.requireWord("ANCESTOR");
        }
        if (operator != null && token.kind() != Kind.STRING) {
            return operator;
        }
        throw token.expected("=, !=, <, <=, >, >=, IN, NOT IN, CONTAINS, IS NULL or HAS ANCESTOR");
    }

    /**
     * Parses a condition with its value first: {@code 5 < age}, {@code 'red' IN colors}, {@code
     * KEY(…) HAS …}.
     */
    private Filter reversed() {
        Value value = values.value();
        Token token = tokens.take();
        Operator operator = null;
        if (token.kind() == Kind.SYMBOL) {
            operator =
                    switch (token.text()) {
                        case "=" -> Operator.EQUAL;
                        case "!=" -> Operator.NOT_EQUAL;
                        case "<" -> Operator.GREATER_THAN;
                        case "<=" -> Operator.GREATER_THAN_OR_EQUAL;
                        case ">" -> Operator.LESS_THAN;
                        case ">=" -> Operator.LESS_THAN_OR_EQUAL;
                        default -> null;
                    };
        } else if (token.isWord("IN")) {
            operator = Operator.EQUAL;
        } else if (token.isWord("HAS")) {
            tokens.requireWord("DESCENDANT");
            operator = Operator.HAS_ANCESTOR;
        }
        if (operator == null) {
            throw token.expected("=, !=, <, <=, >, >=, IN or HAS DESCENDANT after a value");
        }
        return filter(tokens.propertyName(), operator, value);
    }

    private static Filter filter(String property, Operator operator, Value value) {
        return Filter.newBuilder()
                .setPropertyFilter(
                        PropertyFilter.newBuilder()
                                .setProperty(PropertyReference.newBuilder().setName(property))
                                .setOp(operator)
                                .setValue(value))
                .build();
    }
}
