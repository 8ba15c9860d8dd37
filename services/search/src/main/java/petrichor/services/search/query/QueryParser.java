package petrichor.services.search.query;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.SearchLimits;
import petrichor.services.search.query.Condition.And;
import petrichor.services.search.query.Condition.Comparison;
import petrichor.services.search.query.Condition.Has;
import petrichor.services.search.query.Condition.Not;
import petrichor.services.search.query.Condition.Or;
import petrichor.services.search.query.Condition.Phrase;
import petrichor.services.search.query.Condition.Stem;
import petrichor.services.search.query.Condition.Term;
import petrichor.services.search.query.Condition.Value;
import petrichor.services.search.query.QueryToken.Kind;

/**
 * Parses App Engine's query language by recursive descent, after the grammar {@code Query.g} of
 * Google's SDKs:
 *
 * <pre>
 * expression  = sequence { AND sequence }
 * sequence    = factor { space factor }
 * factor      = term { OR term }
 * term        = [ "-" | NOT ] ( restriction | "(" expression ")" )
 * restriction = comparable [ comparator ( comparable | "(" expression ")" ) ]
 * comparable  = [ "+" | "~" ] ( text | phrase ) | text "(" [ comparable { "," comparable } ] ")"
 * </pre>
 *
 * A restriction before parentheses applies to each value in them. Confined to one thread.
 */
public final class QueryParser {
    private final String query;
    private final List<QueryToken> tokens;
    private int at;
    private int nesting;

    private QueryParser(String query) {
        this.query = query;
        this.tokens = QueryLexer.tokens(query);
    }

    /** INVALID_ARGUMENT if the query is not in the language. */
    public static Condition parse(String query) {
        QueryParser parser = new QueryParser(query);
        parser.skipSpace();
        if (parser.peek() == Kind.END) {
            return new Condition.Everything();
        }
        Condition parsed = parser.expression(null);
        parser.skipSpace();
        parser.expect(Kind.END, "an operator or a space is missing");
        return parsed;
    }

    static PetrichorException error(String query, String problem, int position) {
        return PetrichorException.invalid(
                "Failed to parse search request \"{query}\"; {problem} at position {position}.",
                "query",
                query,
                "problem",
                problem,
                "position",
                position);
    }

    private PetrichorException error(String problem) {
        return error(query, problem, tokens.get(at).at());
    }

    private Kind peek() {
        return tokens.get(at).kind();
    }

    private QueryToken take() {
        return tokens.get(at++);
    }

    private void expect(Kind kind, String problem) {
        if (peek() != kind) {
            throw error(problem);
        }
        at++;
    }

    private boolean skipSpace() {
        int from = at;
        while (peek() == Kind.SPACE) {
            at++;
        }
        return at > from;
    }

    /** The next token after spaces, without taking it. */
    private Kind afterSpace() {
        int next = at;
        while (tokens.get(next).kind() == Kind.SPACE) {
            next++;
        }
        return tokens.get(next).kind();
    }

    /**
     * @param field the field to which a restriction outside the parentheses applies
     */
    private Condition expression(@Nullable String field) {
        List<Condition> parts = new ArrayList<>();
        parts.add(sequence(field));
        while (peek() == Kind.SPACE && afterSpace() == Kind.AND) {
            takeOperator();
            parts.add(sequence(field));
        }
        return parts.size() == 1 ? parts.getFirst() : new And(parts, false);
    }

    private void takeOperator() {
        skipSpace();
        take();
        if (!skipSpace()) {
            throw error("a space is missing");
        }
    }

    private Condition sequence(@Nullable String field) {
        List<Condition> parts = new ArrayList<>();
        parts.add(factor(field));
        while (peek() == Kind.SPACE) {
            Kind next = afterSpace();
            if (next == Kind.AND || next == Kind.CLOSE || next == Kind.END) {
                break;
            }
            skipSpace();
            parts.add(factor(field));
        }
        return parts.size() == 1 ? parts.getFirst() : new And(parts, true);
    }

    private Condition factor(@Nullable String field) {
        List<Condition> parts = new ArrayList<>();
        parts.add(term(field));
        while (peek() == Kind.SPACE && afterSpace() == Kind.OR) {
            takeOperator();
            parts.add(term(field));
        }
        return parts.size() == 1 ? parts.getFirst() : new Or(parts);
    }

    private Condition term(@Nullable String field) {
        if (peek() == Kind.MINUS) {
            take();
            return new Not(primitive(field));
        }
        if (peek() == Kind.NOT) {
            take();
            if (!skipSpace()) {
                throw error("a space is missing after NOT");
            }
            return new Not(primitive(field));
        }
        return primitive(field);
    }

    private Condition primitive(@Nullable String field) {
        return peek() == Kind.OPEN ? composite(field) : restriction(field);
    }

    private Condition composite(@Nullable String field) {
        if (++nesting > SearchLimits.NESTING_MAX) {
            throw error("the parentheses are nested too deeply");
        }
        expect(Kind.OPEN, "a parenthesis is missing");
        skipSpace();
        Condition inner = expression(field);
        skipSpace();
        expect(Kind.CLOSE, "the parenthesis is not closed");
        nesting--;
        return inner;
    }

    private Condition restriction(@Nullable String outer) {
        int from = at;
        if (function()) {
            return distance();
        }
        Value left = value();
        Kind comparator = afterSpace();
        if (!comparator(comparator)) {
            return new Has(outer, left);
        }
        String field = left.text();
        skipSpace();
        take();
        skipSpace();
        if (outer != null && !outer.equals(field)) {
            throw error(query, "a field is restricted to another field", tokens.get(from).at());
        }
        return switch (comparator) {
            case HAS, EQUAL -> equality(field, tokens.get(from).at());
            case NOT_EQUAL -> throw error("the operator != is not available");
            case LESS -> new Condition.Compare(field, Comparison.LESS, bound(field));
            case AT_MOST -> new Condition.Compare(field, Comparison.AT_MOST, bound(field));
            case GREATER -> new Condition.Compare(field, Comparison.GREATER, bound(field));
            case AT_LEAST -> new Condition.Compare(field, Comparison.AT_LEAST, bound(field));
            case TEXT, PHRASE, SPACE, AND, OR, NOT, MINUS, PLUS, TILDE, COMMA, OPEN, CLOSE, END ->
                    throw error("a comparison is missing");
        };
    }

    private static boolean comparator(Kind kind) {
        return switch (kind) {
            case HAS, EQUAL, NOT_EQUAL, LESS, AT_MOST, GREATER, AT_LEAST -> true;
            case TEXT, PHRASE, SPACE, AND, OR, NOT, MINUS, PLUS, TILDE, COMMA, OPEN, CLOSE, END ->
                    false;
        };
    }

    private Condition equality(String field, int position) {
        if (QueryLiterals.number(field) != null || QueryLiterals.day(field) != null) {
            throw error(query, "a number or date is not a field", position);
        }
        if (peek() == Kind.OPEN) {
            return composite(field);
        }
        if (function()) {
            throw error("a field cannot be compared with a function");
        }
        return new Has(field, value());
    }

    private String bound(String field) {
        if (peek() == Kind.OPEN || function()) {
            throw error("a number or a date is missing");
        }
        String bound = value().text();
        if (QueryLiterals.number(bound) == null && QueryLiterals.day(bound) == null) {
            throw PetrichorException.invalid(
                    "Failed to parse search request \"{query}\"; unable to compare \"{field}\" with"
                            + " \"{value}\": use a number or a date such as 2012-07-04.",
                    "query",
                    query,
                    "field",
                    field,
                    "value",
                    bound);
        }
        return bound;
    }

    private Value value() {
        Kind prefix = peek();
        if (prefix == Kind.PLUS || prefix == Kind.TILDE) {
            take();
        }
        QueryToken token = take();
        return switch (token.kind()) {
            case TEXT -> prefix == Kind.TILDE ? new Stem(token.text()) : new Term(token.text());
            case PHRASE -> prefix == Kind.TILDE ? new Stem(token.text()) : new Phrase(token.text());
            case SPACE,
                    AND,
                    OR,
                    NOT,
                    MINUS,
                    PLUS,
                    TILDE,
                    COMMA,
                    OPEN,
                    CLOSE,
                    HAS,
                    EQUAL,
                    NOT_EQUAL,
                    LESS,
                    AT_MOST,
                    GREATER,
                    AT_LEAST,
                    END ->
                    throw error(query, "a value is missing", token.at());
        };
    }

    /** Whether a function starts here. */
    private boolean function() {
        return peek() == Kind.TEXT && tokens.get(at + 1).kind() == Kind.OPEN;
    }

    /** {@code distance(field, geopoint(a, b)) < meters}, with the arguments in either order. */
    private Condition distance() {
        int from = tokens.get(at).at();
        if (!take().text().equals("distance")) {
            throw error(query, "the function is unknown", from);
        }
        expect(Kind.OPEN, "a parenthesis is missing");
        String field;
        FieldValue.GeoPoint point;
        if (function()) {
            point = point();
            separator();
            field = value().text();
        } else {
            field = value().text();
            separator();
            point = point();
        }
        expect(Kind.CLOSE, "distance has two arguments");
        skipSpace();
        boolean nearer =
                switch (take().kind()) {
                    case LESS, AT_MOST -> true;
                    case GREATER, AT_LEAST -> false;
                    case HAS, EQUAL, NOT_EQUAL ->
                            throw error(query, "a distance needs <, <=, > or >=", from);
                    case TEXT,
                            PHRASE,
                            SPACE,
                            AND,
                            OR,
                            NOT,
                            MINUS,
                            PLUS,
                            TILDE,
                            COMMA,
                            OPEN,
                            CLOSE,
                            END ->
                            throw error(query, "a distance needs <, <=, > or >=", from);
                };
        skipSpace();
        return new Condition.Distance(field, point, nearer, number());
    }

    private FieldValue.GeoPoint point() {
        int from = tokens.get(at).at();
        if (!function() || !take().text().equals("geopoint")) {
            throw error(query, "a geopoint(latitude, longitude) is missing", from);
        }
        expect(Kind.OPEN, "a parenthesis is missing");
        double latitude = number();
        separator();
        double longitude = number();
        expect(Kind.CLOSE, "geopoint has two arguments");
        if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) {
            throw error(query, "the point is not on the earth", from);
        }
        return new FieldValue.GeoPoint(latitude, longitude);
    }

    private void separator() {
        skipSpace();
        expect(Kind.COMMA, "a comma is missing");
        skipSpace();
    }

    private double number() {
        Double number = peek() == Kind.TEXT ? QueryLiterals.number(tokens.get(at).text()) : null;
        if (number == null) {
            throw error("a number is missing");
        }
        take();
        return number;
    }
}
