package app

import (
	"context"
	"testing"
	"time"

	"google.golang.org/appengine/v2"
	"google.golang.org/appengine/v2/search"
)

type plant struct {
	Name    string
	Color   search.Atom
	Text    search.HTML
	Height  float64
	Planted time.Time
	Place   appengine.GeoPoint
}

var plants = map[string]*plant{
	"rose":  {"wild rose", "red", "<b>thorny</b> shrub", 2, time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC), appengine.GeoPoint{Lat: 52.5, Lng: 13.4}},
	"oak":   {"old oak", "green", "a tree", 30, time.Date(1850, 1, 2, 0, 0, 0, 0, time.UTC), appengine.GeoPoint{Lat: 48.1, Lng: 11.6}},
	"tulip": {"garden tulip", "red", "a flower", 0.4, time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC), appengine.GeoPoint{Lat: 52.1, Lng: 4.9}},
}

func inGarden(t *testing.T, run func(ctx context.Context, index *search.Index)) {
	inApp(t, func(ctx context.Context) {
		index, err := search.Open("garden")
		check(t, err)
		for id, one := range plants {
			got, err := index.Put(ctx, id, one)
			check(t, err)
			equal(t, got, id)
		}
		run(ctx, index)
	})
}

// found returns the ids of all results, each followed by a space.
func found(t *testing.T, results *search.Iterator) string {
	t.Helper()
	all := ""
	for {
		id, err := results.Next(nil)
		if err == search.Done {
			return all
		}
		check(t, err)
		all += id + " "
	}
}

func TestADocumentIsReadAsItWasPut(t *testing.T) {
	inGarden(t, func(ctx context.Context, index *search.Index) {
		var read plant
		check(t, index.Get(ctx, "rose", &read))
		read.Planted = read.Planted.UTC()
		equal(t, read, *plants["rose"])
		check(t, index.Delete(ctx, "rose"))
		equal(t, index.Get(ctx, "rose", &read), search.ErrNoSuchDocument)
	})
}

func TestDocumentsAreListed(t *testing.T) {
	inGarden(t, func(ctx context.Context, index *search.Index) {
		equal(t, found(t, index.List(ctx, &search.ListOptions{IDsOnly: true})), "oak rose tulip ")
		equal(t, found(t, index.List(ctx, &search.ListOptions{StartID: "p"})), "rose tulip ")
	})
}

func TestSearches(t *testing.T) {
	byHeight := &search.SearchOptions{
		Sort: &search.SortOptions{Expressions: []search.SortExpression{{Expr: "Height", Reverse: true, Default: 0.0}}},
	}
	inGarden(t, func(ctx context.Context, index *search.Index) {
		for query, expected := range map[string]string{
			"Color: red":              "tulip rose ",
			"Height > 1":              "rose oak ",
			"thorny OR Name: \"oak\"": "rose oak ",
			"NOT Color: red":          "oak ",
			"Planted > 2000-01-01":    "tulip rose ",
			"distance(Place, geopoint(52.5, 13.4)) < 1000": "rose ",
		} {
			if got := found(t, index.Search(ctx, query, byHeight)); got != expected {
				t.Errorf("%s: got %s, want %s", query, got, expected)
			}
		}
		if _, err := index.Search(ctx, "a AND", nil).Next(nil); err == nil || err == search.Done {
			t.Fatalf("an invalid query: %v", err)
		}
	})
}

func TestACursorContinuesASearch(t *testing.T) {
	inGarden(t, func(ctx context.Context, index *search.Index) {
		first := index.Search(ctx, "Color: red", &search.SearchOptions{Limit: 1, Cursor: ""})
		one, err := first.Next(nil)
		check(t, err)
		rest := found(t, index.Search(ctx, "Color: red", &search.SearchOptions{Cursor: first.Cursor()}))
		if one+" "+rest != "rose tulip " && one+" "+rest != "tulip rose " {
			t.Fatal(one, rest)
		}
	})
}

func TestFacets(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		index, err := search.Open("faceted")
		check(t, err)
		for id, kind := range map[string]string{"a": "x", "b": "x", "c": "y"} {
			_, err := index.Put(ctx, id, &faceted{kind})
			check(t, err)
		}
		results := index.Search(ctx, "", &search.SearchOptions{
			Facets: []search.FacetSearchOption{search.FacetDiscovery("kind")},
		})
		facets, err := results.Facets()
		check(t, err)
		equal(t, len(facets), 1)
		equal(t, facets[0][0].Count, 2)
		equal(t, facets[0][0].Value.(search.Atom), "x")
		narrow := index.Search(ctx, "", &search.SearchOptions{Refinements: []search.Facet{facets[0][1].Facet}})
		equal(t, found(t, narrow), "c ")
	})
}

// faceted is a document with a facet.
type faceted struct{ kind string }

func (f *faceted) Load([]search.Field, *search.DocumentMetadata) error { return nil }

func (f *faceted) Save() ([]search.Field, *search.DocumentMetadata, error) {
	facets := []search.Facet{{Name: "kind", Value: search.Atom(f.kind)}}
	return []search.Field{{Name: "n", Value: 1.0}}, &search.DocumentMetadata{Facets: facets}, nil
}
