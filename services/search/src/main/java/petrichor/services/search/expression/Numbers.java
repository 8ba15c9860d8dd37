package petrichor.services.search.expression;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import petrichor.services.search.model.FieldValue;

/** Arithmetic of expressions; NaN for a missing operand or result. */
public final class Numbers {
    private Numbers() {}

    public static double arithmetic(Expression.Operator operator, double left, double right) {
        return switch (operator) {
            case PLUS -> left + right;
            case MINUS -> left - right;
            case TIMES -> left * right;
            case DIVIDED -> right == 0 ? Double.NaN : left / right;
        };
    }

    public static double function(Expression.Function function, double... arguments) {
        return switch (function) {
            case ABS -> Math.abs(arguments[0]);
            case LOG -> Math.log(arguments[0]);
            case POW -> Math.pow(arguments[0], arguments[1]);
            case MAX -> Arrays.stream(arguments).reduce(Double.NEGATIVE_INFINITY, Math::max);
            case MIN -> Arrays.stream(arguments).reduce(Double.POSITIVE_INFINITY, Math::min);
            case COUNT, DISTANCE, GEOPOINT, SNIPPET -> Double.NaN;
        };
    }

    /** Null if it is not on the earth. */
    public static FieldValue.@Nullable GeoPoint point(double latitude, double longitude) {
        return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
                ? new FieldValue.GeoPoint(latitude, longitude)
                : null;
    }
}
