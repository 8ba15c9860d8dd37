package petrichor.services.search.expression;

import java.util.List;

/** A parsed expression. */
public sealed interface Expression {
    record Literal(double number) implements Expression {}

    record Quoted(String text) implements Expression {}

    /** A field, or {@code _score} or {@code _rank}. */
    record Name(String name) implements Expression {}

    record Negation(Expression operand) implements Expression {}

    record Arithmetic(Operator operator, Expression left, Expression right) implements Expression {}

    enum Operator {
        PLUS,
        MINUS,
        TIMES,
        DIVIDED
    }

    record Call(Function function, List<Expression> arguments) implements Expression {
        public Call {
            arguments = List.copyOf(arguments);
        }
    }

    enum Function {
        ABS,
        COUNT,
        DISTANCE,
        GEOPOINT,
        LOG,
        MAX,
        MIN,
        POW,
        SNIPPET
    }

    /** Part of the grammar, but without a defined value: comparisons, conditions, switch. */
    record Undefined(String what) implements Expression {}
}
