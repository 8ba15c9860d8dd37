package app

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"google.golang.org/appengine/v2"
	"google.golang.org/appengine/v2/datastore"
)

type inner struct {
	Street string
	Number int
}

type note struct {
	Title   string
	Number  int64
	Ratio   float64
	Done    bool
	When    time.Time
	Place   appengine.GeoPoint
	Author  *datastore.Key
	Blob    []byte
	Bytes   datastore.ByteString
	BlobKey appengine.BlobKey
	Text    string `datastore:",noindex"`
	Tags    []string
	Inner   inner
	Inners  []inner
}

type counter struct {
	Count int
}

func everything(ctx context.Context) note {
	return note{
		Title:   "Emma",
		Number:  -1 << 40,
		Ratio:   0.25,
		Done:    true,
		When:    time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC),
		Place:   appengine.GeoPoint{Lat: 52.5, Lng: -13.25},
		Author:  datastore.NewKey(ctx, "Author", "jane", 0, nil),
		Blob:    []byte{0, 0xff},
		Bytes:   datastore.ByteString{0xff, 1},
		BlobKey: "blob",
		Text:    string(make([]byte, 3000)),
		Tags:    []string{"b", "a", "b"},
		Inner:   inner{"High", 1},
		Inners:  []inner{{"Low", 2}, {"", 3}},
	}
}

func TestEveryPropertySurvives(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		stored := everything(ctx)
		key, err := datastore.Put(ctx, datastore.NewKey(ctx, "Note", "n", 0, nil), &stored)
		check(t, err)
		var found note
		check(t, datastore.Get(ctx, key, &found))
		if !reflect.DeepEqual(found, stored) {
			t.Fatalf("got %+v, want %+v", found, stored)
		}
		equal(t, datastore.Get(ctx, datastore.NewKey(ctx, "Note", "none", 0, nil), &found), datastore.ErrNoSuchEntity)
	})
}

func TestFiltersFindIt(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		stored := everything(ctx)
		_, err := datastore.Put(ctx, datastore.NewKey(ctx, "Note", "n", 0, nil), &stored)
		check(t, err)
		_, err = datastore.Put(ctx, datastore.NewKey(ctx, "Note", "other", 0, nil), &note{Number: 7})
		check(t, err)
		for filter, value := range map[string]interface{}{
			"Title =":         "Emma",
			"Number <":        0,
			"Ratio =":         0.25,
			"Done =":          true,
			"When =":          stored.When,
			"Place =":         stored.Place,
			"Author =":        stored.Author,
			"BlobKey =":       stored.BlobKey,
			"Tags =":          "a",
			"Inner.Street =":  "High",
			"Inners.Number >": 2,
			"__key__ =":       datastore.NewKey(ctx, "Note", "n", 0, nil),
		} {
			keys, err := datastore.NewQuery("Note").Filter(filter, value).KeysOnly().GetAll(ctx, nil)
			check(t, err)
			if len(keys) != 1 || keys[0].StringID() != "n" {
				t.Errorf("%s %v found %v", filter, value, keys)
			}
		}
	})
}

func put(t *testing.T, ctx context.Context, count int) []*datastore.Key {
	t.Helper()
	keys := make([]*datastore.Key, count)
	counters := make([]counter, count)
	for i := range keys {
		keys[i] = datastore.NewKey(ctx, "Counter", "", int64(i+1), nil)
		counters[i].Count = i + 1
	}
	_, err := datastore.PutMulti(ctx, keys, counters)
	check(t, err)
	return keys
}

func TestManyEntities(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		keys := put(t, ctx, 1100)
		found := make([]counter, len(keys))
		check(t, datastore.GetMulti(ctx, keys, found))
		equal(t, found[1099].Count, 1100)
		count, err := datastore.NewQuery("Counter").Count(ctx)
		check(t, err)
		equal(t, count, 1100)
		count, err = datastore.NewQuery("Counter").Offset(100).Limit(2000).Count(ctx)
		check(t, err)
		equal(t, count, 1000)
		var all []counter
		_, err = datastore.NewQuery("Counter").Order("-Count").Limit(700).Offset(10).GetAll(ctx, &all)
		check(t, err)
		equal(t, len(all), 700)
		equal(t, all[0].Count, 1090)
		check(t, datastore.DeleteMulti(ctx, keys))
		err = datastore.Get(ctx, keys[0], &found[0])
		equal(t, err, datastore.ErrNoSuchEntity)
	})
}

func TestIncompleteKeysGetIds(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		parent := datastore.NewKey(ctx, "Parent", "p", 0, nil)
		key, err := datastore.Put(ctx, datastore.NewIncompleteKey(ctx, "Counter", parent), &counter{1})
		check(t, err)
		if key.IntID() == 0 || !key.Parent().Equal(parent) {
			t.Fatal(key)
		}
		keys, err := datastore.NewQuery("").Ancestor(parent).KeysOnly().GetAll(ctx, nil)
		check(t, err)
		equal(t, len(keys), 1)
		low, high, err := datastore.AllocateIDs(ctx, "Counter", nil, 10)
		check(t, err)
		equal(t, high-low, 10)
	})
}

func TestCursors(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		put(t, ctx, 50)
		run := datastore.NewQuery("Counter").Order("Count").Run(ctx)
		for i := 0; i < 33; i++ {
			_, err := run.Next(nil)
			check(t, err)
		}
		cursor, err := run.Cursor()
		check(t, err)
		decoded, err := datastore.DecodeCursor(cursor.String())
		check(t, err)
		var rest []counter
		_, err = datastore.NewQuery("Counter").Order("Count").Start(decoded).GetAll(ctx, &rest)
		check(t, err)
		equal(t, len(rest), 17)
		equal(t, rest[0].Count, 34)
		first, err := datastore.NewQuery("Counter").Order("Count").End(decoded).KeysOnly().GetAll(ctx, nil)
		check(t, err)
		equal(t, len(first), 33)
	})
}

func TestProjectionAndDistinct(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		for i := 1; i <= 6; i++ {
			_, err := datastore.Put(ctx, datastore.NewKey(ctx, "Note", "", int64(i), nil), &note{
				Number: int64(i % 2), Title: fmt.Sprint(i), When: time.Unix(int64(i), 0).UTC(),
			})
			check(t, err)
		}
		var found []note
		_, err := datastore.NewQuery("Note").Project("When", "Title").Order("-When").GetAll(ctx, &found)
		check(t, err)
		equal(t, found[0].Title, "6")
		equal(t, found[0].When, time.Unix(6, 0).UTC())
		found = nil
		_, err = datastore.NewQuery("Note").Project("Number").Distinct().GetAll(ctx, &found)
		check(t, err)
		equal(t, len(found), 2)
	})
}

func increment(ctx context.Context, key *datastore.Key) error {
	var c counter
	if err := datastore.Get(ctx, key, &c); err != nil {
		return err
	}
	c.Count++
	_, err := datastore.Put(ctx, key, &c)
	return err
}

func TestTransactionsCommitOrRollBack(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		keys := put(t, ctx, 2)
		both := func(ctx context.Context) error {
			return errors.Join(increment(ctx, keys[0]), increment(ctx, keys[1]))
		}
		check(t, datastore.RunInTransaction(ctx, both, &datastore.TransactionOptions{XG: true}))
		failed := errors.New("failed")
		err := datastore.RunInTransaction(ctx, func(ctx context.Context) error {
			check(t, both(ctx))
			return failed
		}, nil)
		equal(t, err, failed)
		var c counter
		check(t, datastore.Get(ctx, keys[1], &c))
		equal(t, c.Count, 3)
	})
}

func TestConflictingTransactionsAreRetried(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		key := put(t, ctx, 1)[0]
		var all sync.WaitGroup
		const writers = 8
		for i := 0; i < writers; i++ {
			all.Add(1)
			go func() {
				defer all.Done()
				work := func(ctx context.Context) error { return increment(ctx, key) }
				if err := datastore.RunInTransaction(ctx, work, &datastore.TransactionOptions{Attempts: 50}); err != nil {
					t.Error(err)
				}
			}()
		}
		all.Wait()
		var c counter
		check(t, datastore.Get(ctx, key, &c))
		equal(t, c.Count, 1+writers)
	})
}

func TestAConflictIsReported(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		key := put(t, ctx, 1)[0]
		err := datastore.RunInTransaction(ctx, func(within context.Context) error {
			if err := increment(within, key); err != nil {
				return err
			}
			_, err := datastore.Put(ctx, key, &counter{100})
			return err
		}, &datastore.TransactionOptions{Attempts: 1})
		equal(t, err, datastore.ErrConcurrentTransaction)
	})
}

func TestReadOnlyTransactions(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		key := put(t, ctx, 1)[0]
		err := datastore.RunInTransaction(ctx, func(ctx context.Context) error {
			return increment(ctx, key)
		}, &datastore.TransactionOptions{ReadOnly: true})
		if err == nil {
			t.Fatal("a read-only transaction has written")
		}
	})
}

func TestNamespacesAndMetadata(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		put(t, ctx, 1)
		in, err := appengine.Namespace(ctx, "x")
		check(t, err)
		_, err = datastore.Put(in, datastore.NewKey(in, "Other", "o", 0, nil), &counter{1})
		check(t, err)
		namespaces, err := datastore.Namespaces(ctx)
		check(t, err)
		equal(t, fmt.Sprint(namespaces), "[ x]")
		kinds, err := datastore.Kinds(in)
		check(t, err)
		equal(t, fmt.Sprint(kinds), "[Other]")
		properties, err := datastore.KindProperties(ctx, "Counter")
		check(t, err)
		equal(t, fmt.Sprint(properties), "map[Count:[INT64]]")
	})
}
