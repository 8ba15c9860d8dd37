package petrichor.services.search.lucene;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.search.DoubleValues;
import org.apache.lucene.search.DoubleValuesSource;
import org.apache.lucene.search.Explanation;
import org.apache.lucene.search.IndexSearcher;
import org.jspecify.annotations.Nullable;
import petrichor.services.search.expression.Expression;
import petrichor.services.search.expression.Expression.Arithmetic;
import petrichor.services.search.expression.Expression.Call;
import petrichor.services.search.expression.Expression.Literal;
import petrichor.services.search.expression.Expression.Name;
import petrichor.services.search.expression.Expression.Negation;
import petrichor.services.search.expression.Expression.Quoted;
import petrichor.services.search.expression.Expression.Undefined;
import petrichor.services.search.expression.Numbers;
import petrichor.services.search.model.FieldValue;

/**
 * The numbers of an expression, read from the sort values of documents; a default where a document
 * has none. A field by itself may also be a date. Immutable.
 */
final class ExpressionValues extends DoubleValuesSource {
    private final Expression expression;
    private final boolean scored;
    private final double missing;

    /** A number per document; NaN for none. */
    private interface Column {
        double value(int document);
    }

    /** A point per document; null for none. */
    private interface PointColumn {
        FieldValue.@Nullable GeoPoint value(int document);
    }

    /**
     * @param scored whether documents have scores; otherwise each score is 0
     */
    ExpressionValues(Expression expression, boolean scored, double missing) {
        this.expression = expression;
        this.scored = scored;
        this.missing = missing;
    }

    @Override
    public DoubleValues getValues(LeafReaderContext context, @Nullable DoubleValues scores)
            throws IOException {
        Leaf leaf = new Leaf(context, scored ? scores : null);
        Column column =
                expression instanceof Name(String name)
                        ? leaf.field(name, true)
                        : leaf.column(expression);
        return new DoubleValues() {
            private int document;

            @Override
            public double doubleValue() {
                double value = column.value(document);
                return Double.isFinite(value) ? value : missing;
            }

            @Override
            public boolean advanceExact(int next) {
                document = next;
                return true;
            }
        };
    }

    private record Leaf(LeafReaderContext context, @Nullable DoubleValues scores) {
        Column column(Expression expression) throws IOException {
            return switch (expression) {
                case Literal(double number) -> _ -> number;
                case Name(String name) -> field(name, false);
                case Negation(Expression operand) -> {
                    Column column = column(operand);
                    yield document -> -column.value(document);
                }
                case Arithmetic arithmetic -> {
                    Column left = column(arithmetic.left());
                    Column right = column(arithmetic.right());
                    yield document ->
                            Numbers.arithmetic(
                                    arithmetic.operator(),
                                    left.value(document),
                                    right.value(document));
                }
                case Call call -> call(call);
                case Quoted _, Undefined _ -> _ -> Double.NaN;
            };
        }

        Column field(String name, boolean orDate) throws IOException {
            if (name.equals("_score")) {
                return score();
            }
            if (name.equals("_rank")) {
                Numeric ranks = numeric(LuceneFields.RANK);
                return document -> ranks.has(document) ? ranks.value() : Double.NaN;
            }
            Numeric numbers = numeric(LuceneFields.number(name));
            if (!orDate) {
                return document ->
                        numbers.has(document)
                                ? Double.longBitsToDouble(numbers.value())
                                : Double.NaN;
            }
            Numeric dates = numeric(LuceneFields.date(name));
            return document -> {
                if (numbers.has(document)) {
                    return Double.longBitsToDouble(numbers.value());
                }
                return dates.has(document) ? dates.value() : Double.NaN;
            };
        }

        private Column score() {
            DoubleValues known = scores;
            if (known == null) {
                return _ -> 0;
            }
            return document -> {
                try {
                    return known.advanceExact(document) ? known.doubleValue() : Double.NaN;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            };
        }

        private Numeric numeric(String field) throws IOException {
            return new Numeric(DocValues.getNumeric(context.reader(), field));
        }

        private Column call(Call call) throws IOException {
            return switch (call.function()) {
                case DISTANCE -> {
                    PointColumn from = point(call.arguments().getFirst());
                    PointColumn to = point(call.arguments().get(1));
                    yield document -> {
                        FieldValue.GeoPoint a = from.value(document);
                        FieldValue.GeoPoint b = to.value(document);
                        return a == null || b == null ? Double.NaN : a.distanceTo(b);
                    };
                }
                case ABS, LOG, MAX, MIN, POW -> {
                    Column[] columns = new Column[call.arguments().size()];
                    for (int i = 0; i < columns.length; i++) {
                        columns[i] = column(call.arguments().get(i));
                    }
                    yield document ->
                            Numbers.function(
                                    call.function(),
                                    Arrays.stream(columns)
                                            .mapToDouble(column -> column.value(document))
                                            .toArray());
                }
                case COUNT, GEOPOINT, SNIPPET -> _ -> Double.NaN;
            };
        }

        private PointColumn point(Expression expression) throws IOException {
            return switch (expression) {
                case Name(String name) -> {
                    Numeric points = numeric(LuceneFields.firstPoint(name));
                    yield document ->
                            points.has(document) ? DocumentMapping.decoded(points.value()) : null;
                }
                case Call call when call.function() == Expression.Function.GEOPOINT -> {
                    Column latitude = column(call.arguments().getFirst());
                    Column longitude = column(call.arguments().get(1));
                    yield document ->
                            Numbers.point(latitude.value(document), longitude.value(document));
                }
                case Literal _, Quoted _, Negation _, Arithmetic _, Call _, Undefined _ ->
                        _ -> null;
            };
        }
    }

    private record Numeric(NumericDocValues values) {
        boolean has(int document) {
            try {
                return values.advanceExact(document);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        long value() {
            try {
                return values.longValue();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public boolean needsScores() {
        return scored;
    }

    @Override
    public DoubleValuesSource rewrite(IndexSearcher searcher) {
        return this;
    }

    @Override
    public boolean isCacheable(LeafReaderContext context) {
        return false;
    }

    @Override
    public Explanation explain(
            LeafReaderContext context, int document, Explanation scoreExplanation) {
        return Explanation.match(0, toString());
    }

    @Override
    public int hashCode() {
        return 31 * expression.hashCode() + Double.hashCode(missing);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ExpressionValues values
                && values.expression.equals(expression)
                && values.scored == scored
                && Double.compare(values.missing, missing) == 0;
    }

    @Override
    public String toString() {
        return expression.toString();
    }
}
