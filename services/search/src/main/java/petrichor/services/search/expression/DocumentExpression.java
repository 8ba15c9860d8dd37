package petrichor.services.search.expression;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import petrichor.services.search.expression.Expression.Arithmetic;
import petrichor.services.search.expression.Expression.Call;
import petrichor.services.search.expression.Expression.Literal;
import petrichor.services.search.expression.Expression.Name;
import petrichor.services.search.expression.Expression.Negation;
import petrichor.services.search.expression.Expression.Quoted;
import petrichor.services.search.expression.Expression.Undefined;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchFieldType;

/** Evaluates an expression on a document of a result. Immutable. */
public final class DocumentExpression {
    private final SearchDocument document;
    private final double score;

    public DocumentExpression(SearchDocument document, double score) {
        this.document = document;
        this.score = score;
    }

    /** Null if the document lacks what the expression needs. */
    public @Nullable FieldValue valueOf(Expression expression) {
        return switch (expression) {
            case Name(String name) when name.equals("_score") -> new FieldValue.Numeric(score);
            case Name(String name) when name.equals("_rank") ->
                    new FieldValue.Numeric(document.rank());
            case Name(String name) -> field(name, _ -> true);
            case Quoted(String text) -> new FieldValue.Text(SearchFieldType.HTML, text);
            case Call call when call.function() == Expression.Function.SNIPPET ->
                    Snippet.of(call, document);
            case Literal _, Negation _, Arithmetic _, Call _, Undefined _ -> {
                double number = number(expression);
                yield Double.isFinite(number) ? new FieldValue.Numeric(number) : null;
            }
        };
    }

    private @Nullable FieldValue field(String name, Predicate<SearchFieldType> types) {
        SearchField field = document.first(name, types);
        return field == null ? null : field.value();
    }

    /** NaN if it has no number. */
    private double number(Expression expression) {
        return switch (expression) {
            case Literal(double number) -> number;
            case Name(String name) when name.equals("_score") -> score;
            case Name(String name) when name.equals("_rank") -> document.rank();
            case Name(String name) ->
                    field(name, type -> type == SearchFieldType.NUMBER)
                                    instanceof FieldValue.Numeric(double number)
                            ? number
                            : Double.NaN;
            case Negation(Expression operand) -> -number(operand);
            case Arithmetic arithmetic ->
                    Numbers.arithmetic(
                            arithmetic.operator(),
                            number(arithmetic.left()),
                            number(arithmetic.right()));
            case Call call -> call(call);
            case Quoted _, Undefined _ -> Double.NaN;
        };
    }

    private double call(Call call) {
        return switch (call.function()) {
            case COUNT -> {
                String name = ((Name) call.arguments().getFirst()).name();
                yield document.fields().stream().filter(f -> f.name().equals(name)).count();
            }
            case DISTANCE -> {
                FieldValue.GeoPoint from = point(call.arguments().getFirst());
                FieldValue.GeoPoint to = point(call.arguments().get(1));
                yield from == null || to == null ? Double.NaN : from.distanceTo(to);
            }
            case ABS, LOG, MAX, MIN, POW ->
                    Numbers.function(
                            call.function(),
                            call.arguments().stream().mapToDouble(this::number).toArray());
            case GEOPOINT, SNIPPET -> Double.NaN;
        };
    }

    private FieldValue.@Nullable GeoPoint point(Expression expression) {
        return switch (expression) {
            case Name(String name) ->
                    field(name, type -> type == SearchFieldType.GEO)
                                    instanceof FieldValue.GeoPoint point
                            ? point
                            : null;
            case Call call when call.function() == Expression.Function.GEOPOINT ->
                    Numbers.point(
                            number(call.arguments().getFirst()), number(call.arguments().get(1)));
            case Literal _, Quoted _, Negation _, Arithmetic _, Call _, Undefined _ -> null;
        };
    }
}
