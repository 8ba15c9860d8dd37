package petrichor.services.search.lucene;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.services.search.expression.Expression;
import petrichor.services.search.expression.ExpressionParser;
import petrichor.services.search.model.IndexSchema;
import petrichor.services.search.model.SearchFieldType;
import petrichor.services.search.model.SearchRequest;
import petrichor.services.search.query.QueryLiterals;

/**
 * Sort keys as Lucene's. A key compares the texts of two documents first and their numbers next, so
 * that a field of both kinds has an order; then ranks decide, then ids. Confined to one thread.
 */
final class SortTranslation {
    private static final long DAY_MILLIS = 86_400_000;

    private final IndexSchema schema;
    private final boolean scored;
    private final List<SortField> fields = new ArrayList<>();

    private SortTranslation(IndexSchema schema, boolean scored) {
        this.schema = schema;
        this.scored = scored;
    }

    static Sort sort(SearchRequest request, IndexSchema schema) {
        SortTranslation translation =
                new SortTranslation(schema, request.scorer() != SearchRequest.Scorer.NONE);
        request.sort().forEach(translation::add);
        if (request.sort().isEmpty() && translation.scored) {
            translation.fields.add(SortField.FIELD_SCORE);
        }
        translation.fields.add(new SortField(LuceneFields.RANK, SortField.Type.LONG, true));
        translation.fields.add(new SortField(LuceneFields.ID, SortField.Type.STRING));
        return new Sort(translation.fields.toArray(new SortField[0]));
    }

    private void add(SearchRequest.SortKey key) {
        Expression expression = ExpressionParser.parse(key.expression());
        requireSortable(expression, key.expression());
        if (expression instanceof Expression.Name(String name) && !name.startsWith("_")) {
            addField(key, name);
            return;
        }
        if (expression.equals(new Expression.Name("_rank")) && !key.descending()) {
            throw PetrichorException.invalid(
                    "Results are sorted by _rank in descending order only.");
        }
        addNumbers(expression, key, number(key.defaultNumber()));
    }

    private static double number(@Nullable Double number) {
        return number == null ? 0 : number;
    }

    private void addField(SearchRequest.SortKey key, String name) {
        Set<SearchFieldType> types = schema.types(name);
        boolean text = types.stream().anyMatch(LuceneFields::sortsAsText);
        String defaultText = key.defaultText() == null ? "" : key.defaultText();
        if (text) {
            String field = LuceneFields.sortText(name);
            fields.add(
                    defaultText.isEmpty()
                            ? new SortField(field, SortField.Type.STRING, key.descending())
                            : new SortField(
                                    field, new DefaultedText(defaultText), key.descending()));
        }
        boolean date = types.contains(SearchFieldType.DATE);
        if (date || types.contains(SearchFieldType.NUMBER)) {
            double missing =
                    date && !text && !defaultText.isEmpty()
                            ? millis(defaultText, name)
                            : number(key.defaultNumber());
            addNumbers(new Expression.Name(name), key, missing);
        }
    }

    private void addNumbers(Expression expression, SearchRequest.SortKey key, double missing) {
        fields.add(
                new ExpressionValues(expression, scored, missing).getSortField(key.descending()));
    }

    /** Milliseconds, or a date such as 2012-07-04. */
    private static double millis(String date, String field) {
        Double millis = QueryLiterals.number(date);
        if (millis != null) {
            return millis;
        }
        Long day = QueryLiterals.day(date);
        if (day == null) {
            throw PetrichorException.invalid(
                    "The default \"{value}\" of the sort key {field} is not a date.",
                    "value",
                    date,
                    "field",
                    field);
        }
        return day * (double) DAY_MILLIS;
    }

    private static void requireSortable(Expression expression, String text) {
        switch (expression) {
            case Expression.Call call -> {
                if (call.function() == Expression.Function.COUNT
                        || call.function() == Expression.Function.SNIPPET) {
                    throw PetrichorException.invalid(
                            "The sort expression \"{expression}\" contains count or snippet, which"
                                    + " sort expressions do not support.",
                            "expression",
                            text);
                }
                call.arguments().forEach(argument -> requireSortable(argument, text));
            }
            case Expression.Negation(Expression operand) -> requireSortable(operand, text);
            case Expression.Arithmetic arithmetic -> {
                requireSortable(arithmetic.left(), text);
                requireSortable(arithmetic.right(), text);
            }
            case Expression.Literal _,
                    Expression.Quoted _,
                    Expression.Name _,
                    Expression.Undefined _ -> {}
        }
    }
}
