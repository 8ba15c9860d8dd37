package petrichor.clients.appengine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.search.Cursor;
import com.google.appengine.api.search.Document;
import com.google.appengine.api.search.Facet;
import com.google.appengine.api.search.FacetRange;
import com.google.appengine.api.search.FacetRefinement;
import com.google.appengine.api.search.FacetRequest;
import com.google.appengine.api.search.FacetResult;
import com.google.appengine.api.search.FacetResultValue;
import com.google.appengine.api.search.Field;
import com.google.appengine.api.search.FieldExpression;
import com.google.appengine.api.search.GeoPoint;
import com.google.appengine.api.search.GetIndexesRequest;
import com.google.appengine.api.search.GetRequest;
import com.google.appengine.api.search.Index;
import com.google.appengine.api.search.IndexSpec;
import com.google.appengine.api.search.MatchScorer;
import com.google.appengine.api.search.PutResponse;
import com.google.appengine.api.search.Query;
import com.google.appengine.api.search.QueryOptions;
import com.google.appengine.api.search.Results;
import com.google.appengine.api.search.ScoredDocument;
import com.google.appengine.api.search.SearchException;
import com.google.appengine.api.search.SearchQueryException;
import com.google.appengine.api.search.SearchServiceConfig;
import com.google.appengine.api.search.SearchServiceFactory;
import com.google.appengine.api.search.SortExpression;
import com.google.appengine.api.search.SortOptions;
import com.google.appengine.api.search.StatusCode;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code com.google.appengine.api.search}. */
class SearchTest {
    private static final Date PLANTED = Date.from(java.time.Instant.parse("2012-07-04T00:00:00Z"));
    private static final int DOCUMENTS = 105;
    private static final int PAGE = 20;

    private final App app = App.unique();

    private static Field.Builder field(String name) {
        return Field.newBuilder().setName(name);
    }

    private static Document rose() {
        return Document.newBuilder()
                .setId("rose")
                .setRank(3)
                .addField(field("title").setText("Red Rose"))
                .addField(field("body").setHTML("<p>A <b>fine</b> flower</p>"))
                .addField(field("color").setAtom("Dark Red"))
                .addField(field("price").setNumber(5.5))
                .addField(field("planted").setDate(PLANTED))
                .addField(field("home").setGeoPoint(new GeoPoint(52.5, 13.4)))
                .addFacet(Facet.withAtom("kind", "flower"))
                .addFacet(Facet.withNumber("height", 30.0))
                .build();
    }

    private static Document car() {
        return Document.newBuilder()
                .setId("car")
                .setRank(2)
                .setLocale(Locale.ENGLISH)
                .addField(field("title").setText("A fast red car"))
                .addField(field("price").setNumber(20000))
                .addField(field("name").setTokenizedPrefix("Sedan Deluxe"))
                .addField(field("plate").setUntokenizedPrefix("AB-C 123"))
                .addFacet(Facet.withAtom("kind", "vehicle"))
                .addFacet(Facet.withNumber("height", 150.0))
                .build();
    }

    private static Document lily() {
        return Document.newBuilder()
                .setId("lily")
                .setRank(1)
                .addField(field("title").setText("White lilies"))
                .build();
    }

    private static Index index(String name) {
        return SearchServiceFactory.getSearchService().getIndex(IndexSpec.newBuilder().setName(name));
    }

    private void withPlants(App.Action test) throws Exception {
        app.run(() -> {
            index("plants").put(rose(), car(), lily());
            test.run();
        });
    }

    private static List<String> ids(Iterable<? extends Document> documents) {
        List<String> ids = new ArrayList<>();
        documents.forEach(document -> ids.add(document.getId()));
        return ids;
    }

    private static List<String> ids(String query) {
        return ids(index("plants").search(query));
    }

    private static Results<ScoredDocument> search(String query, QueryOptions.Builder options) {
        return index("plants").search(Query.newBuilder().setOptions(options).build(query));
    }

    @Test
    void documentsComeBackAsTheyWerePut() throws Exception {
        withPlants(() -> {
            Document document = index("plants").get("rose");
            assertThat(document.getRank()).isEqualTo(3);
            assertThat(document.getFieldNames())
                    .containsExactlyInAnyOrder("title", "body", "color", "price", "planted", "home");
            assertThat(document.getOnlyField("body").getHTML()).isEqualTo("<p>A <b>fine</b> flower</p>");
            assertThat(document.getOnlyField("color").getAtom()).isEqualTo("Dark Red");
            assertThat(document.getOnlyField("price").getNumber()).isEqualTo(5.5);
            assertThat(document.getOnlyField("planted").getDate()).isEqualTo(PLANTED);
            assertThat(document.getOnlyField("home").getGeoPoint().getLongitude()).isEqualTo(13.4);
            assertThat(document.getOnlyFacet("height").getNumber()).isEqualTo(30.0);
            Document car = index("plants").get("car");
            assertThat(car.getLocale()).isEqualTo(Locale.ENGLISH);
            assertThat(car.getOnlyField("name").getTokenizedPrefix()).isEqualTo("Sedan Deluxe");
            assertThat(index("plants").get("none")).isNull();
        });
    }

    @Test
    void idsAreChosenAndPutsReplace() throws Exception {
        app.run(() -> {
            PutResponse response = index("plants")
                    .put(Document.newBuilder().addField(field("t").setText("a")).build(), lily());
            assertThat(response.getResults()).allMatch(result -> result.getCode() == StatusCode.OK);
            assertThat(response.getIds()).hasSize(2).contains("lily").doesNotContainNull();
            index("plants").putAsync(Document.newBuilder()
                            .setId("lily")
                            .addField(field("title").setText("changed")))
                    .get();
            assertThat(ids("lilies")).isEmpty();
            assertThat(ids("changed")).containsExactly("lily");
        });
    }

    @Test
    void queries() throws Exception {
        Map<String, List<String>> expected = new LinkedHashMap<>();
        expected.put("", List.of("rose", "car", "lily"));
        expected.put("red", List.of("rose", "car"));
        expected.put("\"red rose\"", List.of("rose"));
        expected.put("red OR white", List.of("rose", "car", "lily"));
        expected.put("red NOT car", List.of("rose"));
        expected.put("color:dark", List.of());
        expected.put("color:\"dark red\"", List.of("rose"));
        expected.put("title:(car OR white)", List.of("car", "lily"));
        expected.put("price > 5.5", List.of("car"));
        expected.put("price >= 5.5", List.of("rose", "car"));
        expected.put("planted = 2012-07-04", List.of("rose"));
        expected.put("planted < 2012-07-04", List.of());
        expected.put("body:fine", List.of("rose"));
        expected.put("name:del", List.of("car"));
        expected.put("plate:\"ab-c\"", List.of("car"));
        expected.put("title:~lily", List.of("lily"));
        expected.put("distance(home, geopoint(52.5, 13.5)) < 10000", List.of("rose"));
        expected.put("distance(home, geopoint(52.5, 13.5)) < 1000", List.of());
        withPlants(() -> expected.forEach((query, found) -> assertThat(ids(query)).as(query).isEqualTo(found)));
    }

    @Test
    void invalidQueriesAreRefused() throws Exception {
        withPlants(() -> {
            assertThatThrownBy(() -> ids("red AND")).isInstanceOf(SearchQueryException.class);
            assertThatThrownBy(() -> ids("price < cheap")).isInstanceOf(SearchException.class);
        });
    }

    @Test
    void sortingAndExpressions() throws Exception {
        withPlants(() -> {
            SortOptions byPrice = SortOptions.newBuilder()
                    .addSortExpression(SortExpression.newBuilder()
                            .setExpression("price")
                            .setDirection(SortExpression.SortDirection.ASCENDING)
                            .setDefaultValueNumeric(0))
                    .setMatchScorer(MatchScorer.newBuilder())
                    .build();
            Results<ScoredDocument> results = search(
                    "red",
                    QueryOptions.newBuilder()
                            .setSortOptions(byPrice)
                            .setFieldsToReturn("price")
                            .setFieldsToSnippet("title")
                            .addExpressionToReturn(
                                    FieldExpression.newBuilder().setName("half").setExpression("price / 2")));
            assertThat(ids(results)).containsExactly("rose", "car");
            ScoredDocument rose = results.iterator().next();
            assertThat(rose.getFieldNames()).containsExactly("price");
            assertThat(rose.getExpressions())
                    .anyMatch(field -> field.getName().equals("half") && field.getNumber() == 2.75)
                    .anyMatch(field -> field.getName().equals("title") && field.getHTML().equals("<b>Red</b> Rose"));
            assertThat(rose.getSortScores()).isNotEmpty();
            assertThat(ids(search("red", QueryOptions.newBuilder().setReturningIdsOnly(true))))
                    .containsExactly("rose", "car");
        });
    }

    private static void putMany() {
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            documents.add(Document.newBuilder()
                    .setId("d%03d".formatted(i))
                    .setRank(1000 - i)
                    .addField(field("t").setText("word"))
                    .build());
        }
        index("plants").put(documents);
    }

    @Test
    void pagesWithCursors() throws Exception {
        app.run(() -> {
            putMany();
            List<String> found = new ArrayList<>();
            Cursor cursor = Cursor.newBuilder().build();
            while (cursor != null) {
                Results<ScoredDocument> page =
                        search("word", QueryOptions.newBuilder().setLimit(PAGE).setCursor(cursor));
                assertThat(page.getNumberFound()).isEqualTo(DOCUMENTS);
                found.addAll(ids(page));
                Cursor next = page.getCursor();
                cursor = next == null ? null : Cursor.newBuilder().build(next.toWebSafeString());
            }
            assertThat(found).hasSize(DOCUMENTS).isSorted().doesNotHaveDuplicates();
            Cursor each = Cursor.newBuilder().setPerResult(true).build();
            List<ScoredDocument> first = List.copyOf(
                    search("word", QueryOptions.newBuilder().setLimit(PAGE).setCursor(each)).getResults());
            Results<ScoredDocument> afterTheThird =
                    search("word", QueryOptions.newBuilder().setCursor(first.get(2).getCursor()));
            assertThat(ids(afterTheThird)).startsWith("d003");
            assertThat(ids(search("word", QueryOptions.newBuilder().setLimit(2).setOffset(50))))
                    .containsExactly("d050", "d051");
        });
    }

    private static Map<String, Integer> counts(FacetResult facet) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        facet.getValues().forEach(value -> counts.put(value.getLabel(), value.getCount()));
        return counts;
    }

    @Test
    void facetsAreDiscovered() throws Exception {
        withPlants(() -> {
            Results<ScoredDocument> results =
                    index("plants").search(Query.newBuilder().setEnableFacetDiscovery(true).build(""));
            Map<String, Map<String, Integer>> found = new LinkedHashMap<>();
            results.getFacets().forEach(facet -> found.put(facet.getName(), counts(facet)));
            assertThat(found)
                    .containsEntry("kind", Map.of("flower", 1, "vehicle", 1))
                    .containsEntry("height", Map.of("[30.0,150.0)", 2));
        });
    }

    @Test
    void facetsRefineQueries() throws Exception {
        withPlants(() -> {
            Query ranges = Query.newBuilder()
                    .addReturnFacet(FacetRequest.newBuilder()
                            .setName("height")
                            .addRange(FacetRange.withEnd(100.0))
                            .addRange(FacetRange.withStart(100.0)))
                    .addReturnFacet("kind")
                    .build("");
            FacetResult height = index("plants").search(ranges).getFacets().stream()
                    .filter(facet -> facet.getName().equals("height"))
                    .findFirst()
                    .orElseThrow();
            assertThat(height.getValues()).extracting(FacetResultValue::getCount).containsExactly(1, 1);
            String token = height.getValues().get(1).getRefinementToken();
            assertThat(ids(index("plants")
                            .search(Query.newBuilder().addFacetRefinementFromToken(token).build(""))))
                    .containsExactly("car");
            FacetRefinement flowers = FacetRefinement.withValue("kind", "flower");
            assertThat(ids(index("plants").search(Query.newBuilder().addFacetRefinement(flowers).build(""))))
                    .containsExactly("rose");
        });
    }

    @Test
    void deletesAndRanges() throws Exception {
        withPlants(() -> {
            Index plants = index("plants");
            assertThat(ids(plants.getRange(GetRequest.newBuilder()))).containsExactly("car", "lily", "rose");
            assertThat(ids(plants.getRange(GetRequest.newBuilder()
                            .setStartId("car")
                            .setIncludeStart(false)
                            .setLimit(1)
                            .setReturningIdsOnly(true))))
                    .containsExactly("lily");
            plants.delete("lily", "none");
            assertThat(ids("")).containsExactly("rose", "car");
            plants.deleteAsync(List.of("rose", "car")).get();
            assertThat(ids("")).isEmpty();
            plants.deleteSchema();
        });
    }

    @Test
    void indexesAndTheirSchemasAreListed() throws Exception {
        withPlants(() -> {
            index("others").put(lily());
            List<Index> indexes = SearchServiceFactory.getSearchService()
                    .getIndexes(GetIndexesRequest.newBuilder().setSchemaFetched(true))
                    .getResults();
            assertThat(indexes).extracting(Index::getName).containsExactly("others", "plants");
            assertThat(indexes.get(1).getSchema().getFieldNames()).contains("title", "price", "home");
            assertThat(indexes.get(1).getSchema().getFieldTypes("price")).containsExactly(Field.FieldType.NUMBER);
            assertThat(SearchServiceFactory.getSearchService()
                            .getIndexes(GetIndexesRequest.newBuilder().setIndexNamePrefix("pl"))
                            .getResults())
                    .hasSize(1);
        });
    }

    @Test
    void namespacesAndAppsAreSeparate() throws Exception {
        withPlants(() -> {
            Index other = SearchServiceFactory.getSearchService(
                            SearchServiceConfig.newBuilder().setNamespace("other").build())
                    .getIndex(IndexSpec.newBuilder().setName("plants"));
            assertThat(other.search("").getNumberFound()).isZero();
            other.put(lily());
            assertThat(ids(other.search("red OR white"))).containsExactly("lily");
        });
        App.unique().run(() -> assertThat(ids("red")).isEmpty());
    }
}
