package petrichor.frontends.appengine.search;

import com.google.appengine.api.search.proto.SearchServicePb;
import com.google.appengine.api.search.proto.SearchServicePb.SearchParams;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.services.search.model.FacetRequest;
import petrichor.services.search.model.SearchRequest;
import petrichor.services.search.model.SearchRequest.Cursors;
import petrichor.services.search.model.SearchRequest.Scorer;
import petrichor.services.search.model.SearchResults;

/** Searches and their results on the wire. */
final class SearchMessages {
    private SearchMessages() {}

    static SearchRequest request(SearchParams params) {
        return new SearchRequest(
                params.getQuery(),
                new SearchRequest.Page(
                        params.getLimit(),
                        params.getOffset(),
                        params.hasCursor() && !params.getCursor().isEmpty()
                                ? params.getCursor()
                                : null,
                        cursors(params)),
                scorer(params),
                params.getSortSpecList().stream().map(SearchMessages::sortKey).toList(),
                projection(params),
                facets(params));
    }

    private static Cursors cursors(SearchParams params) {
        return switch (params.getCursorType()) {
            case NONE -> Cursors.NONE;
            case SINGLE -> Cursors.SINGLE;
            case PER_RESULT -> Cursors.PER_RESULT;
        };
    }

    private static Scorer scorer(SearchParams params) {
        if (!params.hasScorerSpec() || !params.getScorerSpec().hasScorer()) {
            return Scorer.NONE;
        }
        return switch (params.getScorerSpec().getScorer()) {
            case MATCH_SCORER -> Scorer.MATCH;
            case RESCORING_MATCH_SCORER -> Scorer.RESCORING_MATCH;
        };
    }

    private static SearchRequest.SortKey sortKey(SearchServicePb.SortSpec spec) {
        return new SearchRequest.SortKey(
                spec.getSortExpression(),
                spec.getSortDescending(),
                spec.hasDefaultValueText() ? spec.getDefaultValueText() : null,
                spec.hasDefaultValueNumeric() ? (Double) spec.getDefaultValueNumeric() : null);
    }

    private static SearchRequest.Projection projection(SearchParams params) {
        return new SearchRequest.Projection(
                params.getKeysOnly(),
                params.getFieldSpec().getNameList(),
                params.getFieldSpec().getExpressionList().stream()
                        .map(
                                expression ->
                                        new SearchRequest.NamedExpression(
                                                expression.getName(), expression.getExpression()))
                        .toList());
    }

    private static FacetRequest facets(SearchParams params) {
        List<FacetRequest.Named> named = new ArrayList<>();
        for (SearchServicePb.FacetRequest facet : params.getIncludeFacetList()) {
            SearchServicePb.FacetRequestParam options = facet.getParams();
            named.add(
                    new FacetRequest.Named(
                            facet.getName(),
                            options.getValueLimit(),
                            options.getValueConstraintList(),
                            options.getRangeList().stream()
                                    .map(range -> range(facet.getName(), range))
                                    .toList()));
        }
        return new FacetRequest(
                params.getAutoDiscoverFacetCount(),
                params.getFacetAutoDetectParam().getValueLimit(),
                params.getFacetDepth(),
                named,
                params.getFacetRefinementList().stream().map(SearchMessages::refinement).toList());
    }

    private static FacetRequest.Range range(String facet, SearchServicePb.FacetRange range) {
        return new FacetRequest.Range(
                range.hasName() ? range.getName() : null,
                DocumentMessages.optionalNumber(facet, range.hasStart(), range.getStart()),
                DocumentMessages.optionalNumber(facet, range.hasEnd(), range.getEnd()));
    }

    private static FacetRequest.Refinement refinement(SearchServicePb.FacetRefinement refinement) {
        SearchServicePb.FacetRefinement.Range range = refinement.getRange();
        String facet = refinement.getName();
        return new FacetRequest.Refinement(
                facet,
                refinement.hasValue() ? refinement.getValue() : null,
                refinement.hasRange()
                        ? new FacetRequest.Range(
                                null,
                                DocumentMessages.optionalNumber(
                                        facet, range.hasStart(), range.getStart()),
                                DocumentMessages.optionalNumber(
                                        facet, range.hasEnd(), range.getEnd()))
                        : null);
    }

    static SearchServicePb.SearchResponse.Builder response(SearchResults results, boolean idsOnly) {
        SearchServicePb.SearchResponse.Builder response =
                SearchServicePb.SearchResponse.newBuilder().setMatchedCount(results.found());
        for (SearchResults.Hit hit : results.hits()) {
            response.addResult(hit(hit, idsOnly));
        }
        String cursor = results.cursor();
        if (cursor != null) {
            response.setCursor(cursor);
        }
        results.facets().forEach(facet -> response.addFacetResult(facet(facet)));
        return response;
    }

    private static SearchServicePb.SearchResult hit(SearchResults.Hit hit, boolean idsOnly) {
        SearchServicePb.SearchResult.Builder built = SearchServicePb.SearchResult.newBuilder();
        if (idsOnly) {
            built.getDocumentBuilder().setId(hit.document().id());
        } else {
            built.setDocument(DocumentMessages.of(hit.document()));
        }
        hit.computed().forEach(field -> built.addExpression(DocumentMessages.field(field)));
        Double score = hit.score();
        if (score != null) {
            built.addScore(score);
        }
        String cursor = hit.cursor();
        if (cursor != null) {
            built.setCursor(cursor);
        }
        return built.build();
    }

    private static SearchServicePb.FacetResult facet(SearchResults.FacetCount facet) {
        SearchServicePb.FacetResult.Builder built =
                SearchServicePb.FacetResult.newBuilder().setName(facet.name());
        for (SearchResults.FacetValueCount value : facet.values()) {
            built.addValue(
                    SearchServicePb.FacetResultValue.newBuilder()
                            .setName(value.label())
                            .setCount(value.count())
                            .setRefinement(refinement(value.refinement())));
        }
        return built.build();
    }

    private static SearchServicePb.FacetRefinement refinement(FacetRequest.Refinement refinement) {
        SearchServicePb.FacetRefinement.Builder built =
                SearchServicePb.FacetRefinement.newBuilder().setName(refinement.name());
        String value = refinement.value();
        if (value != null) {
            built.setValue(value);
        }
        FacetRequest.Range range = refinement.range();
        if (range != null) {
            SearchServicePb.FacetRefinement.Range.Builder bounds = built.getRangeBuilder();
            setBound(range.start(), bounds::setStart);
            setBound(range.end(), bounds::setEnd);
        }
        return built.build();
    }

    private static void setBound(@Nullable Double bound, Consumer<String> setter) {
        if (bound != null) {
            setter.accept(DocumentMessages.text(bound));
        }
    }
}
