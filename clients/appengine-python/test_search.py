"""google.appengine.api.search."""

import datetime

import pytest
from google.appengine.api import namespace_manager, search

ROSE = search.Document(
    doc_id="rose",
    rank=3,
    fields=[
        search.TextField("title", "Red Rose"),
        search.HtmlField("body", "<p>A <b>fine</b> flower</p>"),
        search.AtomField("color", "Dark Red"),
        search.NumberField("price", 5.5),
        search.DateField("planted", datetime.date(2012, 7, 4)),
        search.GeoField("home", search.GeoPoint(52.5, 13.4)),
    ],
    facets=[search.AtomFacet("kind", "flower"), search.NumberFacet("height", 30)],
)
CAR = search.Document(
    doc_id="car",
    rank=2,
    language="en",
    fields=[
        search.TextField("title", "A fast red car"),
        search.NumberField("price", 20000),
        search.TokenizedPrefixField("name", "Sedan Deluxe"),
        search.UntokenizedPrefixField("plate", "AB-C 123"),
    ],
    facets=[search.AtomFacet("kind", "vehicle"), search.NumberFacet("height", 150)],
)
LILY = search.Document(doc_id="lily", rank=1, fields=[search.TextField("title", "White lilies")])


def put(*documents, name="plants"):
    return search.Index(name).put(list(documents))


def ids(query, name="plants", **options):
    if options:
        query = search.Query(query, options=search.QueryOptions(**options))
    return [document.doc_id for document in search.Index(name).search(query)]


@pytest.fixture
def plants(app):
    app.run(put, ROSE, CAR, LILY)
    return app


def test_documents_come_back_as_they_were_put(plants):
    def get():
        return search.Index("plants").get("rose")

    document = plants.run(get)
    assert document.doc_id == "rose"
    assert [field.name for field in document.fields] == [field.name for field in ROSE.fields]
    assert document.field("body").value == "<p>A <b>fine</b> flower</p>"
    assert document.language == "en"
    assert document.rank == 3
    assert document.field("price").value == 5.5
    assert document.field("planted").value == datetime.datetime(2012, 7, 4)
    assert document.field("home").value == search.GeoPoint(52.5, 13.4)
    assert document.facet("height")[0].value == 30
    assert plants.run(lambda: search.Index("plants").get("none")) is None


def test_ids_are_chosen_and_puts_replace(app):
    first, second = app.run(put, search.Document(fields=[search.TextField("t", "a")]), LILY)
    assert first.code == second.code == search.OperationResult.OK
    assert first.id and second.id == "lily"
    app.run(put, search.Document(doc_id="lily", fields=[search.TextField("title", "changed")]))
    assert app.run(ids, "lilies") == []
    assert app.run(ids, "changed") == ["lily"]


def test_queries(plants):
    for query, expected in {
        "": ["rose", "car", "lily"],
        "red": ["rose", "car"],
        '"red rose"': ["rose"],
        "red OR white": ["rose", "car", "lily"],
        "red NOT car": ["rose"],
        "color:dark": [],
        'color:"dark red"': ["rose"],
        "title:(car OR white)": ["car", "lily"],
        "price > 5.5": ["car"],
        "price >= 5.5": ["rose", "car"],
        "planted = 2012-07-04": ["rose"],
        "planted < 2012-07-04": [],
        "body:fine": ["rose"],
        "name:del": ["car"],
        'plate:"ab-c"': ["car"],
        "title:~lily": ["lily"],
        "distance(home, geopoint(52.5, 13.5)) < 10000": ["rose"],
        "distance(home, geopoint(52.5, 13.5)) < 1000": [],
    }.items():
        assert plants.run(ids, query) == expected, query


def test_invalid_queries_raise(plants):
    with pytest.raises(search.QueryError):
        plants.run(ids, "red AND")
    with pytest.raises(search.Error):
        plants.run(ids, "price != 5")
    with pytest.raises(search.Error):
        plants.run(ids, "price < cheap")


def test_sorting_and_expressions(plants):
    def results():
        return (
            search.Index("plants")
            .search(
                search.Query(
                    "red",
                    options=search.QueryOptions(
                        sort_options=search.SortOptions(
                            expressions=[
                                search.SortExpression("price", search.SortExpression.ASCENDING, default_value=0)
                            ],
                            match_scorer=search.MatchScorer(),
                        ),
                        returned_fields=["price"],
                        returned_expressions=[search.FieldExpression("half", "price / 2")],
                        snippeted_fields=["title"],
                    ),
                )
            )
            .results
        )

    rose, car = plants.run(results)
    assert (rose.doc_id, car.doc_id) == ("rose", "car")
    assert [field.name for field in rose.fields] == ["price"]
    computed = {field.name: field.value for field in rose.expressions}
    assert computed == {"half": 2.75, "title": "<b>Red</b> Rose"}
    assert len(rose.sort_scores) == 1 and rose.sort_scores[0] > 0
    assert plants.run(
        ids,
        "",
        sort_options=search.SortOptions([search.SortExpression("title", search.SortExpression.ASCENDING)]),
    ) == ["car", "rose", "lily"]
    assert plants.run(ids, "red", ids_only=True) == ["rose", "car"]


def test_pages(app):
    documents = [
        search.Document(doc_id=f"d{i:03}", rank=1000 - i, fields=[search.TextField("t", "word")]) for i in range(105)
    ]
    app.run(put, *documents)

    def page(cursor, **options):
        query = search.Query("word", options=search.QueryOptions(limit=20, cursor=cursor, **options))
        return search.Index("plants").search(query)

    found = []
    cursor = search.Cursor()
    while cursor:
        results = app.run(page, cursor)
        assert results.number_found == 105
        found += [document.doc_id for document in results]
        cursor = results.cursor
    assert found == [document.doc_id for document in documents]
    third = app.run(page, search.Cursor(per_result=True)).results[2].cursor
    assert app.run(page, third).results[0].doc_id == "d003"
    assert app.run(ids, "word", limit=2, offset=50) == ["d050", "d051"]


def test_facets(plants):
    def faceted(**options):
        return search.Index("plants").search(search.Query("", **options))

    results = plants.run(faceted, enable_facet_discovery=True)
    facets = {facet.name: {value.label: value.count for value in facet.values} for facet in results.facets}
    assert facets == {"kind": {"flower": 1, "vehicle": 1}, "height": {"[30.0,150.0)": 2}}
    ranges = search.FacetRequest("height", ranges=[search.FacetRange(end=100), search.FacetRange(start=100)])
    results = plants.run(faceted, return_facets=[ranges, "kind"])
    height = results.facets[0]
    assert [value.count for value in height.values] == [1, 1]
    token = search.FacetRefinement.FromTokenString(height.values[1].refinement_token)
    refined = plants.run(faceted, facet_refinements=[token])
    assert [document.doc_id for document in refined] == ["car"]
    refined = plants.run(faceted, facet_refinements=[search.FacetRefinement("kind", value="flower")])
    assert [document.doc_id for document in refined] == ["rose"]


def test_deletes_and_ranges(plants):
    def documents(**options):
        return [document.doc_id for document in search.Index("plants").get_range(**options)]

    assert plants.run(documents) == ["car", "lily", "rose"]
    assert plants.run(documents, start_id="car", include_start_object=False, limit=1) == ["lily"]
    assert plants.run(documents, ids_only=True) == ["car", "lily", "rose"]
    plants.run(lambda: search.Index("plants").delete(["lily", "none"]))
    assert plants.run(documents) == ["car", "rose"]
    assert plants.run(ids, "") == ["rose", "car"]


def test_indexes_with_schemas(plants):
    plants.run(put, LILY, name="others")

    def indexes(**options):
        return search.get_indexes(**options).results

    assert [index.name for index in plants.run(indexes)] == ["others", "plants"]
    (index,) = plants.run(indexes, index_name_prefix="pl", fetch_schema=True)
    assert index.schema["title"] == ["TEXT"]
    assert index.schema["price"] == ["NUMBER"]
    assert index.storage_usage > 0
    assert index.storage_limit == 10 * 2**30
    plants.run(lambda: search.Index("others").delete("lily"))
    plants.run(lambda: search.Index("others").delete_schema())
    assert [index.name for index in plants.run(indexes)] == ["plants"]


def test_namespaces_and_apps_are_separate(plants, make_app):
    def in_namespace():
        namespace_manager.set_namespace("space")
        return ids("")

    assert plants.run(in_namespace) == []
    assert make_app().run(ids, "") == []


def test_refused_documents_leave_the_others(app):
    repeated = search.Document(doc_id="twice", fields=[search.TextField("t", "a")])
    repeated.fields.extend([search.NumberField("n", 1), search.NumberField("n", 2)])
    with pytest.raises(search.PutError) as failure:
        app.run(put, LILY, repeated)
    codes = [result.code for result in failure.value.results]
    assert codes == [search.OperationResult.OK, search.OperationResult.INVALID_REQUEST]
    assert app.run(ids, "") == ["lily"]
