package petrichor.services.search.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.services.search.expression.Expression.Arithmetic;
import petrichor.services.search.expression.Expression.Call;
import petrichor.services.search.expression.Expression.Function;
import petrichor.services.search.expression.Expression.Literal;
import petrichor.services.search.expression.Expression.Name;
import petrichor.services.search.expression.Expression.Negation;
import petrichor.services.search.expression.Expression.Operator;
import petrichor.services.search.expression.Expression.Quoted;
import petrichor.services.search.expression.Expression.Undefined;
import petrichor.services.search.expression.ExpressionLexer.Kind;
import petrichor.services.search.expression.ExpressionLexer.Lexeme;
import petrichor.services.search.model.SearchLimits;

/**
 * Parses expressions by recursive descent, after the grammar {@code Expression.g} of Google's SDKs.
 * Comparisons, logical operators, conditions and {@code switch} are accepted, but have no value:
 * Google documents none. Confined to one thread.
 */
public final class ExpressionParser {
    private static final Map<String, Function> FUNCTIONS =
            Map.of(
                    "abs", Function.ABS,
                    "count", Function.COUNT,
                    "distance", Function.DISTANCE,
                    "geopoint", Function.GEOPOINT,
                    "log", Function.LOG,
                    "max", Function.MAX,
                    "min", Function.MIN,
                    "pow", Function.POW,
                    "snippet", Function.SNIPPET);

    private static final List<String> WITHOUT_VALUE =
            List.of("switch", "text", "html", "atom", "date", "number", "geo", "dot", "vector");

    private final String text;
    private final List<Lexeme> lexemes;
    private int at;
    private int nesting;

    private ExpressionParser(String text) {
        this.text = text;
        this.lexemes = ExpressionLexer.lexemes(text);
    }

    /** INVALID_ARGUMENT if this is not an expression. */
    public static Expression parse(String text) {
        if (text.length() > SearchLimits.EXPRESSION_CHARS_MAX) {
            throw PetrichorException.invalid(
                    "An expression has {chars} characters; at most {charsMax} are allowed.",
                    "chars",
                    text.length(),
                    "charsMax",
                    SearchLimits.EXPRESSION_CHARS_MAX);
        }
        ExpressionParser parser = new ExpressionParser(text);
        Expression parsed = parser.conjunction();
        if (parser.peek().kind() != Kind.END) {
            throw ExpressionLexer.error(text, "an operator is missing");
        }
        return parsed;
    }

    private Lexeme peek() {
        return lexemes.get(at);
    }

    private boolean take(String symbol) {
        if (peek().is(symbol)) {
            at++;
            return true;
        }
        return false;
    }

    private boolean takeWord(String keyword) {
        if (peek().word(keyword)) {
            at++;
            return true;
        }
        return false;
    }

    private Expression conjunction() {
        Expression left = disjunction();
        while (takeWord("AND")) {
            disjunction();
            left = new Undefined("AND");
        }
        return left;
    }

    private Expression disjunction() {
        Expression left = negated();
        while (takeWord("OR") || takeWord("XOR")) {
            negated();
            left = new Undefined("OR");
        }
        return left;
    }

    private Expression negated() {
        if (takeWord("NOT")) {
            comparison();
            return new Undefined("NOT");
        }
        return comparison();
    }

    private Expression comparison() {
        Expression left = sum();
        for (String operator : List.of("<", "<=", ">", ">=", "=", "!=")) {
            if (take(operator)) {
                sum();
                return new Undefined("comparison");
            }
        }
        return left;
    }

    private Expression sum() {
        Expression left = product();
        while (true) {
            if (take("+")) {
                left = new Arithmetic(Operator.PLUS, left, product());
            } else if (take("-")) {
                left = new Arithmetic(Operator.MINUS, left, product());
            } else {
                return left;
            }
        }
    }

    private Expression product() {
        Expression left = unary();
        while (true) {
            if (take("*")) {
                left = new Arithmetic(Operator.TIMES, left, unary());
            } else if (take("/")) {
                left = new Arithmetic(Operator.DIVIDED, left, unary());
            } else {
                return left;
            }
        }
    }

    private Expression unary() {
        return take("-") ? new Negation(atom()) : atom();
    }

    private Expression atom() {
        Lexeme next = lexemes.get(at++);
        return switch (next.kind()) {
            case NUMBER -> new Literal(Double.parseDouble(next.text()));
            case PHRASE -> new Quoted(next.text());
            case NAME -> peek().is("(") ? call(next.text()) : name(next.text());
            case SYMBOL -> {
                if (!next.is("(")) {
                    throw ExpressionLexer.error(text, "a value is missing");
                }
                enter();
                Expression inner = conjunction();
                leave();
                yield inner;
            }
            case END -> throw ExpressionLexer.error(text, "a value is missing");
        };
    }

    private Expression name(String first) {
        StringBuilder name = new StringBuilder(first);
        while (take(".")) {
            if (peek().kind() != Kind.NAME) {
                throw ExpressionLexer.error(text, "a name is missing after the period");
            }
            name.append('.').append(lexemes.get(at++).text());
        }
        if (take("[")) {
            if (peek().kind() != Kind.NUMBER) {
                throw ExpressionLexer.error(text, "an index is missing");
            }
            at++;
            if (!take("]")) {
                throw ExpressionLexer.error(text, "the bracket is not closed");
            }
            return new Undefined("index");
        }
        return new Name(name.toString());
    }

    private void enter() {
        if (++nesting > SearchLimits.NESTING_MAX) {
            throw ExpressionLexer.error(text, "the parentheses are nested too deeply");
        }
    }

    private void leave() {
        nesting--;
        if (!take(")")) {
            throw ExpressionLexer.error(text, "the parenthesis is not closed");
        }
    }

    private Expression call(String name) {
        at++;
        enter();
        List<Expression> arguments = new ArrayList<>();
        do {
            arguments.add(argument());
        } while (take(","));
        leave();
        Function function = FUNCTIONS.get(name);
        if (function == null) {
            if (WITHOUT_VALUE.contains(name)) {
                return new Undefined(name);
            }
            throw ExpressionLexer.error(text, "the function is unknown");
        }
        String problem = problem(function, arguments);
        if (problem != null) {
            throw ExpressionLexer.error(text, problem);
        }
        return new Call(function, arguments);
    }

    private Expression argument() {
        Expression condition = conjunction();
        if (take("?")) {
            sum();
            return new Undefined("condition");
        }
        return condition;
    }

    private static @Nullable String problem(Function function, List<Expression> arguments) {
        int count = arguments.size();
        return switch (function) {
            case ABS, LOG -> count == 1 ? null : "abs and log have one argument";
            case COUNT ->
                    count == 1 && arguments.getFirst() instanceof Name
                            ? null
                            : "the argument of count must be a field";
            case DISTANCE, GEOPOINT, POW ->
                    count == 2 ? null : "distance, geopoint and pow have two arguments";
            case MAX, MIN -> null;
            case SNIPPET ->
                    count >= 2 && arguments.get(1) instanceof Name
                            ? null
                            : "the arguments of snippet are a query and a field";
        };
    }
}
