package petrichor.services.search.lucene;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.lucene.document.DoublePoint;
import org.apache.lucene.document.LatLonPoint;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.FieldExistsQuery;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.services.search.model.FacetRequest;
import petrichor.services.search.model.IndexSchema;
import petrichor.services.search.model.SearchFieldType;
import petrichor.services.search.model.SearchLimits;
import petrichor.services.search.query.Condition;
import petrichor.services.search.query.QueryLiterals;
import petrichor.services.search.text.Folding;

/** Conditions as Lucene queries, for the fields that the index has. Confined to one thread. */
final class QueryTranslation {
    private final IndexSchema schema;
    private final WordQueries words;
    private int conditions;

    /**
     * @param perField whether each field that contains a term adds to the score by itself
     */
    QueryTranslation(IndexSchema schema, boolean perField) {
        this.schema = schema;
        this.words = new WordQueries(schema, perField);
    }

    Query query(Condition condition) {
        count(1);
        return switch (condition) {
            case Condition.Everything _ -> new MatchAllDocsQuery();
            case Condition.And and -> and(and);
            case Condition.Or(List<Condition> alternatives) -> {
                BooleanQuery.Builder any = new BooleanQuery.Builder();
                alternatives.forEach(each -> any.add(query(each), Occur.SHOULD));
                yield any.build();
            }
            case Condition.Not(Condition excluded) ->
                    new BooleanQuery.Builder()
                            .add(new MatchAllDocsQuery(), Occur.FILTER)
                            .add(query(excluded), Occur.MUST_NOT)
                            .build();
            case Condition.Has(String field, Condition.Value value) ->
                    field == null ? anywhere(value) : inField(field, value);
            case Condition.Compare compare -> compare(compare);
            case Condition.Distance distance -> distance(distance);
        };
    }

    private void count(int more) {
        conditions += more;
        if (conditions > SearchLimits.CONDITIONS_MAX) {
            throw PetrichorException.invalid(
                    "The query has more than {conditionsMax} conditions, counted per field.",
                    "conditionsMax",
                    SearchLimits.CONDITIONS_MAX);
        }
    }

    private Query and(Condition.And and) {
        BooleanQuery.Builder all = new BooleanQuery.Builder();
        for (Condition condition : and.conditions()) {
            if (condition instanceof Condition.Not(Condition excluded)) {
                count(1);
                all.add(query(excluded), Occur.MUST_NOT);
            } else {
                all.add(query(condition), Occur.MUST);
            }
        }
        if (and.conditions().stream().allMatch(Condition.Not.class::isInstance)) {
            all.add(new MatchAllDocsQuery(), Occur.FILTER);
        }
        String atom = and.sequence() ? sequence(and.conditions()) : null;
        if (atom == null) {
            return all.build();
        }
        return new BooleanQuery.Builder()
                .add(all.build(), Occur.SHOULD)
                .add(unscored(term(LuceneFields.ALL_ATOMS, atom)), Occur.SHOULD)
                .build();
    }

    /** The values as one atom; null if there are other conditions among them. */
    private static @Nullable String sequence(List<Condition> conditions) {
        StringBuilder atom = new StringBuilder();
        for (Condition condition : conditions) {
            if (!(condition instanceof Condition.Has has) || has.field() != null) {
                return null;
            }
            atom.append(atom.isEmpty() ? "" : " ").append(has.value().text());
        }
        return Folding.lower(atom.toString());
    }

    private static Query term(String field, String term) {
        return new TermQuery(new Term(field, term));
    }

    static Query unscored(Query query) {
        return new BoostQuery(new ConstantScoreQuery(query), 0);
    }

    private Query anywhere(Condition.Value value) {
        BooleanQuery.Builder any = new BooleanQuery.Builder();
        Query inTexts = words.anywhere(value);
        if (inTexts != null) {
            any.add(inTexts, Occur.SHOULD);
        }
        any.add(term(LuceneFields.ALL_ATOMS, Folding.lower(value.text())), Occur.SHOULD);
        Double number = QueryLiterals.number(value.text());
        if (number != null) {
            any.add(
                    unscored(DoublePoint.newExactQuery(LuceneFields.ALL_NUMBERS, number)),
                    Occur.SHOULD);
        }
        Long day = QueryLiterals.day(value.text());
        if (day != null) {
            any.add(unscored(LongPoint.newExactQuery(LuceneFields.ALL_DAYS, day)), Occur.SHOULD);
        }
        count(words.conditions());
        return any.build();
    }

    private Query inField(String name, Condition.Value value) {
        List<Query> alternatives = new ArrayList<>();
        boolean wordsDone = false;
        for (SearchFieldType type : schema.types(name)) {
            Query alternative =
                    switch (type) {
                        case TEXT, HTML -> {
                            Query once = wordsDone ? null : words.inField(name, value);
                            wordsDone = true;
                            yield once;
                        }
                        case ATOM -> term(LuceneFields.atom(name), Folding.lower(value.text()));
                        case TOKENIZED_PREFIX -> words.inPrefixes(name, value);
                        case UNTOKENIZED_PREFIX -> words.atStart(name, value);
                        case NUMBER -> {
                            Double number = QueryLiterals.number(value.text());
                            yield number == null
                                    ? null
                                    : unscored(
                                            DoublePoint.newExactQuery(
                                                    LuceneFields.number(name), number));
                        }
                        case DATE -> {
                            Long day = QueryLiterals.day(value.text());
                            yield day == null
                                    ? null
                                    : unscored(
                                            LongPoint.newExactQuery(LuceneFields.date(name), day));
                        }
                        case GEO, VECTOR -> null;
                    };
            if (alternative != null) {
                alternatives.add(alternative);
            }
        }
        count(alternatives.size());
        return anyOf(alternatives);
    }

    private static Query anyOf(List<Query> alternatives) {
        if (alternatives.isEmpty()) {
            return new MatchNoDocsQuery();
        }
        BooleanQuery.Builder any = new BooleanQuery.Builder();
        alternatives.forEach(each -> any.add(each, Occur.SHOULD));
        return any.build();
    }

    private Query compare(Condition.Compare compare) {
        Set<SearchFieldType> types = schema.types(compare.field());
        Double number = QueryLiterals.number(compare.value());
        if (number != null && types.contains(SearchFieldType.NUMBER)) {
            String field = LuceneFields.number(compare.field());
            double least = Double.NEGATIVE_INFINITY;
            double most = Double.POSITIVE_INFINITY;
            return unscored(
                    switch (compare.comparison()) {
                        case LESS ->
                                DoublePoint.newRangeQuery(
                                        field, least, DoublePoint.nextDown(number));
                        case AT_MOST -> DoublePoint.newRangeQuery(field, least, number);
                        case GREATER ->
                                DoublePoint.newRangeQuery(field, DoublePoint.nextUp(number), most);
                        case AT_LEAST -> DoublePoint.newRangeQuery(field, number, most);
                    });
        }
        Long day = QueryLiterals.day(compare.value());
        if (day != null && types.contains(SearchFieldType.DATE)) {
            String field = LuceneFields.date(compare.field());
            return unscored(
                    switch (compare.comparison()) {
                        case LESS -> LongPoint.newRangeQuery(field, Long.MIN_VALUE, day - 1);
                        case AT_MOST -> LongPoint.newRangeQuery(field, Long.MIN_VALUE, day);
                        case GREATER -> LongPoint.newRangeQuery(field, day + 1, Long.MAX_VALUE);
                        case AT_LEAST -> LongPoint.newRangeQuery(field, day, Long.MAX_VALUE);
                    });
        }
        return new MatchNoDocsQuery();
    }

    private Query distance(Condition.Distance distance) {
        if (!schema.types(distance.field()).contains(SearchFieldType.GEO)) {
            return new MatchNoDocsQuery();
        }
        String field = LuceneFields.points(distance.field());
        // Lucene refuses circles that are not finite; one of this radius is the whole earth.
        double meters = Math.clamp(distance.meters(), 0, 21_000_000);
        Query near =
                LatLonPoint.newDistanceQuery(
                        field, distance.from().latitude(), distance.from().longitude(), meters);
        if (distance.nearer()) {
            return distance.meters() < 0 ? new MatchNoDocsQuery() : unscored(near);
        }
        BooleanQuery.Builder far =
                new BooleanQuery.Builder()
                        .add(
                                new FieldExistsQuery(LuceneFields.firstPoint(distance.field())),
                                Occur.FILTER);
        if (distance.meters() > 0) {
            far.add(near, Occur.MUST_NOT);
        }
        return unscored(far.build());
    }

    /** Those of one facet are alternatives. */
    Query refined(Query query, List<FacetRequest.Refinement> refinements) {
        if (refinements.isEmpty()) {
            return query;
        }
        BooleanQuery.Builder all = new BooleanQuery.Builder().add(query, Occur.MUST);
        Map<String, List<FacetRequest.Refinement>> byName =
                refinements.stream().collect(Collectors.groupingBy(FacetRequest.Refinement::name));
        byName.values()
                .forEach(
                        group ->
                                all.add(
                                        anyOf(group.stream().map(this::refinement).toList()),
                                        Occur.FILTER));
        return all.build();
    }

    private Query refinement(FacetRequest.Refinement refinement) {
        count(1);
        FacetRequest.Range range = refinement.range();
        String amount = LuceneFields.facetAmount(refinement.name());
        if (range != null) {
            Double start = range.start();
            Double end = range.end();
            double least = start == null ? Double.NEGATIVE_INFINITY : start;
            double most = end == null ? Double.POSITIVE_INFINITY : DoublePoint.nextDown(end);
            return least > most
                    ? new MatchNoDocsQuery()
                    : DoublePoint.newRangeQuery(amount, least, most);
        }
        String value = refinement.value() == null ? "" : refinement.value();
        Query label = term(LuceneFields.facetLabel(refinement.name()), value);
        Double number = QueryLiterals.number(value);
        return number == null
                ? label
                : anyOf(List.of(label, DoublePoint.newExactQuery(amount, number)));
    }
}
