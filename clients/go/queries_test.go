package clients

import (
	"sort"
	"testing"

	"cloud.google.com/go/datastore"
	pb "cloud.google.com/go/datastore/apiv1/datastorepb"
	"google.golang.org/api/iterator"
)

func sorted(names []string) []string {
	sort.Strings(names)
	return names
}

func TestEveryOperator(t *testing.T) {
	f := open(t)
	f.cities()
	for _, each := range []struct {
		field, operator string
		value           any
		want            []string
	}{
		{"Thousands", "=", 200, []string{"linz"}},
		{"Thousands", "<", 200, []string{"bern", "vaduz", "zug"}},
		{"Thousands", "<=", 200, []string{"bern", "linz", "vaduz", "zug"}},
		{"Thousands", ">", 200, []string{"graz", "wien"}},
		{"Thousands", ">=", 200, []string{"graz", "linz", "wien"}},
		{"Thousands", "!=", 200, []string{"bern", "graz", "vaduz", "wien", "zug"}},
		{"Thousands", "in", []any{6, 30, 77}, []string{"vaduz", "zug"}},
		{"Thousands", "not-in", []any{6, 30, 77}, []string{"bern", "graz", "linz", "wien"}},
		{"Country", "=", "ch", []string{"bern", "zug"}},
		{"Country", ">", "ch", []string{"vaduz"}},
		{"Country", "!=", "at", []string{"bern", "vaduz", "zug"}},
		{"Country", "in", []any{"at", "li"}, []string{"graz", "linz", "vaduz", "wien"}},
		{"Country", "not-in", []any{"at", "li"}, []string{"bern", "zug"}},
		{"Altitude", "<", 266.0, []string{"wien"}},
		{"Union", "=", true, []string{"graz", "linz", "wien"}},
		{"Tags", "=", "river", []string{"bern", "graz", "linz", "wien"}},
		{"Tags", "in", []any{"river", "hill"}, []string{"bern", "graz", "linz", "wien"}},
	} {
		got := sorted(f.names(f.query("City").FilterField(each.field, each.operator, each.value)))
		same(t, each.field+" "+each.operator, got, each.want)
	}
}

func TestAndOrAndTheirNesting(t *testing.T) {
	f := open(t)
	f.cities()
	field := func(name, operator string, value any) datastore.EntityFilter {
		return datastore.PropertyFilter{FieldName: name, Operator: operator, Value: value}
	}
	small := datastore.AndFilter{Filters: []datastore.EntityFilter{field("Country", "=", "at"), field("Thousands", "<", 250)}}
	either := datastore.OrFilter{Filters: []datastore.EntityFilter{small, field("Country", "=", "li")}}
	same(t, "or of and", sorted(f.names(f.query("City").FilterEntity(either))), []string{"linz", "vaduz"})
	twice := datastore.OrFilter{Filters: []datastore.EntityFilter{field("Country", "=", "at"), field("Union", "=", true)}}
	same(t, "each once", sorted(f.names(f.query("City").FilterEntity(twice))), []string{"graz", "linz", "wien"})
	both := f.query("City").FilterField("Country", "=", "at").FilterField("Thousands", ">", 200).FilterField("Altitude", "<", 200.0)
	same(t, "two inequalities", f.names(both), []string{"wien"})
}

func TestOrdersLimitsAndOffsets(t *testing.T) {
	f := open(t)
	f.cities()
	same(t, "up", f.names(f.query("City").Order("Thousands")), []string{"vaduz", "zug", "bern", "linz", "graz", "wien"})
	same(t, "down", f.names(f.query("City").Order("-Thousands").Limit(2)), []string{"wien", "graz"})
	same(t, "two", f.names(f.query("City").Order("-Country").Order("Thousands")), []string{"vaduz", "zug", "bern", "linz", "graz", "wien"})
	same(t, "filter and order", f.names(f.query("City").FilterField("Country", "=", "at").Order("-Thousands")), []string{"wien", "graz", "linz"})
	same(t, "limit and offset", f.names(f.query("City").Order("Thousands").Offset(1).Limit(2)), []string{"zug", "bern"})
	same(t, "past the end", f.names(f.query("City").Offset(100)), []string{})
	same(t, "by key", f.names(f.query("City").Order("-__key__").Limit(2)), []string{"zug", "wien"})
}

func TestKeyFilters(t *testing.T) {
	f := open(t)
	f.cities()
	same(t, ">", f.names(f.query("City").FilterField("__key__", ">", f.key("City", "linz"))), []string{"vaduz", "wien", "zug"})
	same(t, "=", f.names(f.query("City").FilterField("__key__", "=", f.key("City", "linz"))), []string{"linz"})
	keys := []any{f.key("City", "wien"), f.key("City", "bern"), f.key("City", "nowhere")}
	same(t, "in", f.names(f.query("City").FilterField("__key__", "in", keys)), []string{"bern", "wien"})
}

func TestAncestorsAndKindlessQueries(t *testing.T) {
	f := open(t)
	book := f.key("Book", "a")
	page := f.child(book, "Page", "p")
	keys := []*datastore.Key{book, page, f.child(page, "Note", "n"), f.child(f.key("Book", "b"), "Page", "q")}
	_, err := f.PutMulti(f.ctx, keys, []counter{{0}, {1}, {2}, {3}})
	check(t, err)
	same(t, "descendants", f.names(f.query("").Ancestor(book)), []string{"a", "p", "n"})
	same(t, "of one kind", f.names(f.query("Page").Ancestor(book)), []string{"p"})
	same(t, "ordered", f.names(f.query("Page").Ancestor(book).FilterField("N", ">", 0).Order("-N")), []string{"p"})
	same(t, "all kinds", f.names(f.query("")), []string{"a", "p", "n", "q"})
}

func TestProjectionAndDistinct(t *testing.T) {
	f := open(t)
	f.cities()
	var got []city
	_, err := f.GetAll(f.ctx, f.query("City").Project("Country", "Thousands").Order("Country").Order("Thousands").Limit(2), &got)
	check(t, err)
	same(t, "projection", got, []city{{Country: "at", Thousands: 200}, {Country: "at", Thousands: 300}})
	got = nil
	_, err = f.GetAll(f.ctx, f.query("City").Project("Country").Distinct(), &got)
	check(t, err)
	same(t, "distinct", got, []city{{Country: "at"}, {Country: "ch"}, {Country: "li"}})
	got = nil
	_, err = f.GetAll(f.ctx, f.query("City").Project("Country", "Thousands").DistinctOn("Country").Order("Country").Order("-Thousands"), &got)
	check(t, err)
	same(t, "distinct on", got, []city{{Country: "at", Thousands: 2000}, {Country: "ch", Thousands: 140}, {Country: "li", Thousands: 6}})
}

func TestCursors(t *testing.T) {
	f := open(t)
	f.cities()
	query := f.query("City").Order("-Thousands").KeysOnly()
	it := f.Run(f.ctx, query)
	for range 2 {
		_, err := it.Next(nil)
		check(t, err)
	}
	cursor, err := it.Cursor() // in the middle of a batch
	check(t, err)
	decoded, err := datastore.DecodeCursor(cursor.String())
	check(t, err)
	same(t, "from the cursor", drain(t, f.Run(f.ctx, query.Start(decoded))), []string{"linz", "bern", "zug", "vaduz"})
	same(t, "up to the cursor", drain(t, f.Run(f.ctx, query.End(decoded))), []string{"wien", "graz"})

	seen, start := []string{}, datastore.Cursor{}
	for pages := 0; ; pages++ {
		page := query.Limit(2)
		if pages > 0 {
			page = page.Start(start)
		}
		it := f.Run(f.ctx, page)
		names := drain(t, it)
		if len(names) == 0 {
			same(t, "pages", pages, 3)
			break
		}
		seen = append(seen, names...)
		start, err = it.Cursor()
		check(t, err)
	}
	same(t, "all pages", seen, []string{"wien", "graz", "linz", "bern", "zug", "vaduz"})
}

func TestCountSumAndAverage(t *testing.T) {
	f := open(t)
	f.cities()
	query := f.query("City").FilterField("Country", "=", "at")
	result, err := f.RunAggregationQuery(f.ctx, query.NewAggregationQuery().WithCount("n").WithSum("Thousands", "sum").WithAvg("Thousands", "avg"))
	check(t, err)
	same(t, "count", result["n"].(*pb.Value).GetIntegerValue(), int64(3))
	same(t, "sum", result["sum"].(*pb.Value).GetIntegerValue(), int64(2500))
	if mean := result["avg"].(*pb.Value).GetDoubleValue(); mean < 833.3 || mean > 833.4 {
		t.Errorf("average %v", mean)
	}
	count, err := f.Count(f.ctx, f.query("City").Offset(1).Limit(3))
	check(t, err)
	same(t, "the old count with offset and limit", count, 3)
}

func TestManyResultsArriveInBatches(t *testing.T) {
	f := open(t)
	for from := 0; from < 1500; from += 500 {
		keys, values := make([]*datastore.Key, 500), make([]counter, 500)
		for i := range keys {
			keys[i], values[i] = datastore.IDKey("Row", int64(from+i+1), nil), counter{from + i}
			keys[i].Namespace = f.namespace
		}
		_, err := f.PutMulti(f.ctx, keys, values)
		check(t, err)
	}
	it, n := f.Run(f.ctx, f.query("Row").Order("N")), 0
	for ; ; n++ {
		var row counter
		_, err := it.Next(&row)
		if err == iterator.Done {
			break
		}
		check(t, err)
		if row.N != n {
			t.Fatalf("row %d came where %d was due", row.N, n)
		}
	}
	same(t, "rows", n, 1500)
	same(t, "behind a long offset", len(f.names(f.query("Row").Offset(1490))), 10)
}

func TestMetadata(t *testing.T) {
	f := open(t)
	f.cities()
	_, err := f.Put(f.ctx, f.key("Counter", "a"), &counter{1})
	check(t, err)
	same(t, "kinds", f.names(f.query("__kind__")), []string{"City", "Counter"})
	same(t, "properties", f.names(f.query("__property__").Ancestor(f.key("__kind__", "City"))),
		[]string{"Altitude", "Country", "Tags", "Thousands", "Union"})
	found := false
	for _, name := range f.names(f.query("__namespace__")) {
		found = found || name == f.namespace
	}
	same(t, "namespace found", found, true)
}

func TestExplain(t *testing.T) {
	f := open(t)
	f.cities()
	query := f.query("City").FilterField("Country", "=", "at")
	it := f.RunWithOptions(f.ctx, query, datastore.ExplainOptions{Analyze: true})
	same(t, "results", drain(t, it), []string{"graz", "linz", "wien"})
	if it.ExplainMetrics == nil || it.ExplainMetrics.PlanSummary == nil || len(it.ExplainMetrics.PlanSummary.IndexesUsed) == 0 {
		t.Fatalf("no plan: %+v", it.ExplainMetrics)
	}
	same(t, "results returned", it.ExplainMetrics.ExecutionStats.ResultsReturned, int64(3))
	it = f.RunWithOptions(f.ctx, query, datastore.ExplainOptions{})
	same(t, "only planned", drain(t, it), []string{})
	if it.ExplainMetrics == nil || it.ExplainMetrics.ExecutionStats != nil {
		t.Errorf("a plan without statistics was due: %+v", it.ExplainMetrics)
	}
}
