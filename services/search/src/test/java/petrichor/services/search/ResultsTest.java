package petrichor.services.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.services.search.Searches.ascending;
import static petrichor.services.search.Searches.atom;
import static petrichor.services.search.Searches.date;
import static petrichor.services.search.Searches.descending;
import static petrichor.services.search.Searches.number;
import static petrichor.services.search.Searches.point;
import static petrichor.services.search.Searches.ranked;
import static petrichor.services.search.Searches.sorted;
import static petrichor.services.search.Searches.text;
import static petrichor.services.search.Searches.withFacets;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.services.search.model.FacetRequest;
import petrichor.services.search.model.FacetRequest.Named;
import petrichor.services.search.model.FacetRequest.Range;
import petrichor.services.search.model.FacetRequest.Refinement;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.SearchFacet;
import petrichor.services.search.model.SearchRequest;
import petrichor.services.search.model.SearchRequest.Cursors;
import petrichor.services.search.model.SearchRequest.NamedExpression;
import petrichor.services.search.model.SearchRequest.Page;
import petrichor.services.search.model.SearchRequest.Projection;
import petrichor.services.search.model.SearchRequest.Scorer;
import petrichor.services.search.model.SearchRequest.SortKey;
import petrichor.services.search.model.SearchResults;

final class ResultsTest {
    private final Searches searches = new Searches();

    @AfterEach
    void close() {
        searches.close();
    }

    @Test
    void resultsAreSortedByTextsNumbersDatesAndExpressions() {
        searches.put(
                ranked("a", 1, text("t", "beta"), number("n", 2), date("d", 3_000)),
                ranked("b", 2, text("t", "alpha"), number("n", 10), date("d", 1_000)),
                ranked("c", 3, text("t", "Gamma"), point("p", 0, 1)),
                ranked("d", 4, atom("t", "delta"), number("n", -1), point("p", 0, 5)));
        assertThat(searches.ids(sorted("", ascending("t")))).containsExactly("c", "b", "a", "d");
        assertThat(searches.ids(sorted("", descending("t")))).containsExactly("d", "a", "b", "c");
        assertThat(searches.ids(sorted("", ascending("n")))).containsExactly("d", "c", "a", "b");
        assertThat(searches.ids(sorted("", key("n", false, null, 5.0))))
                .containsExactly("d", "a", "c", "b");
        assertThat(searches.ids(sorted("", key("d", false, "1970-01-01", null))))
                .containsExactly("d", "c", "b", "a");
        assertThat(searches.ids(sorted("", key("d", false, "2000", null))))
                .containsExactly("b", "d", "c", "a");
        assertThat(searches.ids(sorted("", ascending("max(n, 0) * -1"))))
                .containsExactly("b", "a", "d", "c");
        assertThat(
                        searches.ids(
                                sorted(
                                        "",
                                        key(
                                                "distance(p, geopoint(0, 0))",
                                                false,
                                                null,
                                                300_000.0))))
                .containsExactly("c", "b", "a", "d");
        assertThat(searches.ids(sorted("", descending("_rank"))))
                .containsExactly("d", "c", "b", "a");
        assertThat(searches.ids(sorted("", ascending("missing"), ascending("t"))))
                .containsExactly("c", "b", "a", "d");
    }

    private static SortKey key(
            String expression,
            boolean descending,
            @Nullable String defaultText,
            @Nullable Double defaultNumber) {
        return new SortKey(expression, descending, defaultText, defaultNumber);
    }

    @Test
    void aFieldOfTextsAndNumbersIsSortedByBoth() {
        searches.put(
                ranked("a", 1, number("m", 2)),
                ranked("b", 2, text("m", "x")),
                ranked("c", 3, number("m", 1)),
                ranked("d", 4, text("other", "x")));
        assertThat(searches.ids(sorted("", ascending("m")))).containsExactly("d", "c", "a", "b");
        assertThat(searches.ids(sorted("", key("m", false, "z", 9.0))))
                .containsExactly("b", "c", "a", "d");
    }

    @Test
    void sortKeysAreValidated() {
        searches.put(ranked("a", 1, date("d", 1)));
        for (SortKey invalid :
                List.of(
                        ascending("_rank"),
                        ascending("count(d)"),
                        ascending("snippet(\"a\", d)"),
                        ascending("1 +"),
                        key("d", true, "no date", null))) {
            assertThatThrownBy(() -> searches.ids(sorted("", invalid)))
                    .isInstanceOf(PetrichorException.class);
        }
    }

    @Test
    void scoresOrderResultsWithoutSortKeys() {
        searches.put(
                ranked("much", 1, text("t", "word word word")),
                ranked("little", 3, text("t", "a word among many others in a long sentence")),
                ranked("none", 2, text("t", "nothing")));
        SearchResults results = searches.search(scored("word OR nothing", Scorer.MATCH, List.of()));
        assertThat(Searches.ids(results)).containsExactly("none", "much", "little");
        assertThat(results.hits()).allMatch(hit -> hit.score() != null && hit.score() > 0);
        assertThat(
                        searches.ids(
                                scored(
                                        "word OR nothing",
                                        Scorer.MATCH,
                                        List.of(ascending("_score * 2")))))
                .containsExactly("little", "much", "none");
        assertThat(searches.search(Searches.request("word", 5)).hits().getFirst().score()).isNull();
    }

    @Test
    void rescoringCountsEachField() {
        searches.put(
                ranked("one", 1, text("a", "word"), text("b", "other")),
                ranked("two", 2, text("a", "word"), text("b", "word")));
        SearchResults results = searches.search(scored("word", Scorer.RESCORING_MATCH, List.of()));
        assertThat(Searches.ids(results)).containsExactly("two", "one");
    }

    private static SearchRequest scored(String query, Scorer scorer, List<SortKey> keys) {
        return new SearchRequest(
                query, Page.first(10), scorer, keys, Projection.EVERYTHING, FacetRequest.NONE);
    }

    @Test
    void pagesByOffsetAndCursorContainEachDocumentOnce() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 95; i++) {
            searches.put(ranked("d" + i, i % 7, text("t", "w" + i % 5), number("n", i % 3)));
        }
        List<SortKey> keys = List.of(ascending("n"), descending("t"));
        SearchRequest whole = sorted("", keys.toArray(new SortKey[0]));
        List<String> expected = searches.ids(whole);
        assertThat(expected).hasSize(95);
        String cursor = null;
        do {
            SearchResults page =
                    searches.search(
                            Searches.with("", new Page(10, 0, cursor, Cursors.SINGLE), keys));
            assertThat(page.found()).isEqualTo(95);
            all.addAll(Searches.ids(page));
            cursor = page.cursor();
        } while (cursor != null);
        assertThat(all).isEqualTo(expected);
        assertThat(searches.ids(Searches.with("", new Page(10, 40, null, Cursors.NONE), keys)))
                .isEqualTo(expected.subList(40, 50));
        SearchResults perResult =
                searches.search(Searches.with("", new Page(10, 0, null, Cursors.PER_RESULT), keys));
        String third = perResult.hits().get(2).cursor();
        assertThat(perResult.cursor()).isNull();
        assertThat(searches.ids(Searches.with("", new Page(5, 0, third, Cursors.NONE), keys)))
                .isEqualTo(expected.subList(3, 8));
    }

    @Test
    void cursorsSurviveChangesAndRefuseOtherQueries() {
        for (int i = 0; i < 30; i++) {
            searches.put(ranked("d" + i, 100 - i, text("t", "word")));
        }
        Page first = new Page(10, 0, null, Cursors.SINGLE);
        String cursor = searches.search(Searches.with("word", first, List.of())).cursor();
        searches.service.delete(Searches.PROJECT, Searches.INDEX, List.of("d3", "d9", "d12"));
        Page second = new Page(3, 0, cursor, Cursors.SINGLE);
        assertThat(searches.ids(Searches.with("word", second, List.of())))
                .containsExactly("d10", "d11", "d13");
        for (SearchRequest other :
                List.of(
                        Searches.with("t:word", second, List.of()),
                        Searches.with("word", second, List.of(ascending("t"))),
                        Searches.with("word", new Page(3, 0, "garbage!", Cursors.NONE), List.of()),
                        Searches.with("word", new Page(3, 0, "AAAA", Cursors.NONE), List.of()))) {
            assertThatThrownBy(() -> searches.search(other))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("cursor");
        }
    }

    @Test
    void pagesAreLimited() {
        assertThatThrownBy(() -> new Page(1_001, 0, null, Cursors.NONE))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> new Page(1, 1_001, null, Cursors.NONE))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> SearchRequest.of("q".repeat(2_001)))
                .isInstanceOf(PetrichorException.class);
    }

    @Test
    void fieldsIdsAndExpressionsAreReturnedAsRequested() {
        searches.put(ranked("a", 1, text("t", "some words"), number("n", 4), number("m", 2)));
        Projection some =
                new Projection(
                        false,
                        List.of("n"),
                        List.of(
                                new NamedExpression("half", "n / m"),
                                new NamedExpression("nothing", "missing * 2"),
                                new NamedExpression("cut", "snippet(\"words\", t)")));
        SearchResults.Hit hit = projected(some);
        assertThat(hit.document().fields()).containsExactly(number("n", 4));
        assertThat(hit.computed()).hasSize(2);
        assertThat(hit.computed().getFirst().value()).isEqualTo(new FieldValue.Numeric(2));
        assertThat(hit.computed().getLast().value().toString()).contains("some <b>words</b>");
        SearchResults.Hit bare = projected(new Projection(true, List.of(), List.of()));
        assertThat(bare.document().id()).isEqualTo("a");
        assertThat(bare.document().fields()).isEmpty();
    }

    private SearchResults.Hit projected(Projection projection) {
        return searches.search(
                        new SearchRequest(
                                "",
                                Page.first(1),
                                Scorer.NONE,
                                List.of(),
                                projection,
                                FacetRequest.NONE))
                .hits()
                .getFirst();
    }

    @Test
    void facetsAreCountedAndRefineResults() {
        searches.put(
                withFacets(
                        ranked("a", 4, text("t", "x")),
                        label("kind", "wine"),
                        amount("year", 1990)),
                withFacets(
                        ranked("b", 3, text("t", "x")),
                        label("kind", "wine"),
                        amount("year", 2000)),
                withFacets(
                        ranked("c", 2, text("t", "x")),
                        label("kind", "beer"),
                        amount("year", 2010)),
                withFacets(ranked("d", 1, text("t", "x")), label("country", "fr")));
        SearchResults found = faceted(new FacetRequest(10, 10, 1_000, List.of(), List.of()));
        assertThat(print(found))
                .containsExactly("kind: wine=2 beer=1", "year: [1990.0,2010.0)=3", "country: fr=1");
        FacetRequest named =
                new FacetRequest(
                        0,
                        10,
                        1_000,
                        List.of(
                                new Named("kind", 0, List.of("beer", "cider"), List.of()),
                                new Named(
                                        "year",
                                        0,
                                        List.of(),
                                        List.of(
                                                new Range(null, 1990.0, 2000.0),
                                                new Range("late", 2000.0, null)))),
                        List.of());
        assertThat(print(faceted(named)))
                .containsExactly("kind: beer=1 cider=0", "year: late=2 [1990.0,2000.0)=1");
        assertThat(print(faceted(new FacetRequest(1, 1, 2, List.of(), List.of()))))
                .containsExactly("kind: wine=2");
        assertThat(refined(new Refinement("kind", "wine", null))).containsExactly("a", "b");
        assertThat(
                        refined(
                                new Refinement("kind", "wine", null),
                                new Refinement("kind", "beer", null),
                                new Refinement("year", null, new Range(null, 2000.0, 2011.0))))
                .containsExactly("b", "c");
        assertThat(refined(new Refinement("year", "1990", null))).containsExactly("a");
        assertThat(refined(new Refinement("year", null, new Range(null, 1990.0, 2000.0))))
                .containsExactly("a");
    }

    private static SearchFacet label(String name, String text) {
        return new SearchFacet(name, new SearchFacet.Label(text));
    }

    private static SearchFacet amount(String name, double number) {
        return new SearchFacet(name, new SearchFacet.Amount(number));
    }

    private SearchResults faceted(FacetRequest facets) {
        return searches.search(
                new SearchRequest(
                        "x",
                        Page.first(10),
                        Scorer.NONE,
                        List.of(),
                        Projection.EVERYTHING,
                        facets));
    }

    private List<String> refined(Refinement... refinements) {
        return Searches.ids(
                faceted(new FacetRequest(0, 10, 1_000, List.of(), List.of(refinements))));
    }

    private static List<String> print(SearchResults results) {
        return results.facets().stream()
                .map(
                        facet -> {
                            StringBuilder line = new StringBuilder(facet.name() + ":");
                            facet.values()
                                    .forEach(
                                            value ->
                                                    line.append(' ')
                                                            .append(value.label())
                                                            .append('=')
                                                            .append(value.count()));
                            return line.toString();
                        })
                .toList();
    }
}
