// Package clients holds tests of the official Go client against a running server.
package clients

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/datastore"
	pb "cloud.google.com/go/datastore/apiv1/datastorepb"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const project = "petrichor-clients"

// fixture is a client with a namespace that no other test uses.
type fixture struct {
	*datastore.Client
	t         *testing.T
	ctx       context.Context
	namespace string
}

func open(t *testing.T) *fixture {
	t.Helper()
	if os.Getenv("DATASTORE_EMULATOR_HOST") == "" {
		t.Fatal("set DATASTORE_EMULATOR_HOST, or start these tests with clients/run")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	client, err := datastore.NewClient(ctx, project)
	check(t, err)
	t.Cleanup(func() { client.Close(); cancel() })
	random := make([]byte, 12)
	rand.Read(random)
	return &fixture{client, t, ctx, "n" + hex.EncodeToString(random)}
}

func (f *fixture) key(kind, name string) *datastore.Key { return f.child(nil, kind, name) }

func (f *fixture) child(parent *datastore.Key, kind, name string) *datastore.Key {
	key := datastore.NameKey(kind, name, parent)
	key.Namespace = f.namespace
	return key
}

func (f *fixture) incomplete(kind string) *datastore.Key {
	key := datastore.IncompleteKey(kind, nil)
	key.Namespace = f.namespace
	return key
}

func (f *fixture) query(kind string) *datastore.Query {
	return datastore.NewQuery(kind).Namespace(f.namespace)
}

// names returns the names of a query's keys in order.
func (f *fixture) names(query *datastore.Query) []string {
	f.t.Helper()
	keys, err := f.GetAll(f.ctx, query.KeysOnly(), nil)
	check(f.t, err)
	names := []string{}
	for _, key := range keys {
		names = append(names, key.Name)
	}
	return names
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func refused(t *testing.T, what string, err error, want codes.Code) {
	t.Helper()
	if status.Code(err) != want {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

type city struct {
	Country   string
	Thousands int
	Altitude  float64
	Union     bool
	Tags      []string
}

func (f *fixture) cities() {
	f.t.Helper()
	names := []string{"graz", "linz", "wien", "bern", "zug", "vaduz"}
	cities := []city{
		{"at", 300, 353, true, []string{"river", "hill"}},
		{"at", 200, 266, true, []string{"river"}},
		{"at", 2000, 151, true, []string{"river", "palace"}},
		{"ch", 140, 542, false, []string{"river", "old"}},
		{"ch", 30, 425, false, []string{"lake"}},
		{"li", 6, 455, false, nil},
	}
	keys := make([]*datastore.Key, len(names))
	for i, name := range names {
		keys[i] = f.key("City", name)
	}
	_, err := f.PutMulti(f.ctx, keys, cities)
	check(f.t, err)
}

type counter struct{ N int }

func TestAnEntityIsReadAsItWasWrittenUntilItIsDeleted(t *testing.T) {
	f := open(t)
	key := f.key("Counter", "a")
	_, err := f.Put(f.ctx, key, &counter{1})
	check(t, err)
	var got counter
	check(t, f.Get(f.ctx, key, &got))
	same(t, "read", got, counter{1})
	check(t, f.Delete(f.ctx, key))
	check(t, f.Delete(f.ctx, key))
	if err := f.Get(f.ctx, key, &got); err != datastore.ErrNoSuchEntity {
		t.Errorf("a deleted entity: %v", err)
	}
}

func TestManyEntitiesAtOnceTellTheMissingOnes(t *testing.T) {
	f := open(t)
	keys := []*datastore.Key{f.key("Counter", "a"), f.key("Counter", "b"), f.key("Counter", "nowhere")}
	_, err := f.PutMulti(f.ctx, keys[:2], []counter{{1}, {2}})
	check(t, err)
	got := make([]counter, 3)
	var each datastore.MultiError
	if err := f.GetMulti(f.ctx, keys, got); !errors.As(err, &each) {
		t.Fatal(err)
	}
	same(t, "found", got[:2], []counter{{1}, {2}})
	if each[0] != nil || each[1] != nil || each[2] != datastore.ErrNoSuchEntity {
		t.Errorf("%v", each)
	}
	check(t, f.DeleteMulti(f.ctx, keys))
}

type inner struct {
	Street string
	Lines  []string
}

type everything struct {
	Yes      bool
	Whole    int64
	Fraction float64
	Text     string
	Long     string `datastore:",noindex"`
	Bytes    []byte
	Time     time.Time
	Place    datastore.GeoPoint
	Key      *datastore.Key
	Inner    inner
	Many     []int64
	Pointer  *string
	Any      []inner
}

func TestEveryTypeComesBack(t *testing.T) {
	f := open(t)
	put := everything{
		Yes: true, Whole: -1 << 63, Fraction: 0.1, Text: "naïve ☔ \x00", Long: strings.Repeat("x", 5000),
		Bytes: []byte{0, 1, 255}, Time: time.Date(1815, 12, 10, 1, 2, 3, 456789000, time.UTC),
		Place: datastore.GeoPoint{Lat: 48.2, Lng: 16.37}, Key: f.child(f.key("Parent", "p"), "Child", "c"),
		Inner: inner{"Ring", []string{"a", "b"}}, Many: []int64{3, 1, 3}, Any: []inner{{Street: "A"}, {Street: "B"}},
	}
	key := f.key("Everything", "a")
	_, err := f.Put(f.ctx, key, &put)
	check(t, err)
	var got everything
	check(t, f.Get(f.ctx, key, &got))
	if !got.Time.Equal(put.Time) {
		t.Errorf("time: %v", got.Time)
	}
	got.Time = put.Time
	same(t, "everything", got, put)

	same(t, "by text", f.names(f.query("Everything").FilterField("Text", "=", put.Text)), []string{"a"})
	same(t, "by bytes", f.names(f.query("Everything").FilterField("Bytes", "=", put.Bytes)), []string{"a"})
	same(t, "by time", f.names(f.query("Everything").FilterField("Time", "=", put.Time)), []string{"a"})
	same(t, "by place", f.names(f.query("Everything").FilterField("Place", "=", put.Place)), []string{"a"})
	same(t, "by key", f.names(f.query("Everything").FilterField("Key", "=", put.Key)), []string{"a"})
	same(t, "by part", f.names(f.query("Everything").FilterField("Inner.Street", "=", "Ring")), []string{"a"})
	same(t, "by part of many", f.names(f.query("Everything").FilterField("Any.Street", "=", "B")), []string{"a"})
	same(t, "not indexed", f.names(f.query("Everything").FilterField("Long", ">", "")), []string{})
}

func TestNullComesBackAndIsIndexed(t *testing.T) {
	f := open(t)
	key := f.key("Null", "a")
	_, err := f.Put(f.ctx, key, &datastore.PropertyList{{Name: "v", Value: nil}})
	check(t, err)
	var got datastore.PropertyList
	check(t, f.Get(f.ctx, key, &got))
	same(t, "null", got, datastore.PropertyList{{Name: "v", Value: nil}})
	// This client cannot filter by nil (it panics); a sort order also proves that an index entry exists.
	same(t, "in the order of its property", f.names(f.query("Null").Order("v")), []string{"a"})
}

func TestIncompleteKeysGetIdsAndAllocatedOnesAreDistinct(t *testing.T) {
	f := open(t)
	key, err := f.Put(f.ctx, f.incomplete("Counter"), &counter{1})
	check(t, err)
	if key.ID <= 0 {
		t.Errorf("id %d", key.ID)
	}
	wanted := make([]*datastore.Key, 50)
	for i := range wanted {
		wanted[i] = f.incomplete("Counter")
	}
	keys, err := f.AllocateIDs(f.ctx, wanted)
	check(t, err)
	seen := map[int64]bool{key.ID: true}
	for _, key := range keys {
		if key.ID <= 0 || seen[key.ID] {
			t.Errorf("id %d twice or not positive", key.ID)
		}
		seen[key.ID] = true
	}
}

func TestReservedIdsAreNotGivenOut(t *testing.T) {
	f := open(t)
	first, err := f.AllocateIDs(f.ctx, []*datastore.Key{f.incomplete("Counter")})
	check(t, err)
	reserved := map[int64]bool{}
	var keys []*datastore.Key
	for i := int64(1); i <= 50; i++ {
		key := datastore.IDKey("Counter", first[0].ID+i, nil)
		key.Namespace = f.namespace
		keys = append(keys, key)
		reserved[key.ID] = true
	}
	check(t, f.ReserveIDs(f.ctx, keys))
	wanted := make([]*datastore.Key, 100)
	for i := range wanted {
		wanted[i] = f.incomplete("Counter")
	}
	given, err := f.AllocateIDs(f.ctx, wanted)
	check(t, err)
	for _, key := range given {
		if reserved[key.ID] {
			t.Errorf("the reserved id %d was given out", key.ID)
		}
	}
}

func TestInsertUpdateUpsertAndDeleteAsMutations(t *testing.T) {
	f := open(t)
	key := f.key("Counter", "a")
	_, err := f.Mutate(f.ctx, datastore.NewUpdate(key, &counter{1}))
	refused(t, "update of nothing", alone(err), codes.NotFound)
	_, err = f.Mutate(f.ctx, datastore.NewInsert(key, &counter{1}))
	check(t, err)
	_, err = f.Mutate(f.ctx, datastore.NewInsert(key, &counter{2}))
	refused(t, "second insert", alone(err), codes.AlreadyExists)
	_, err = f.Mutate(f.ctx, datastore.NewUpsert(key, &counter{3}), datastore.NewInsert(f.key("Counter", "b"), &counter{4}))
	check(t, err)
	same(t, "both", f.names(f.query("Counter")), []string{"a", "b"})
	_, err = f.Mutate(f.ctx, datastore.NewDelete(key))
	check(t, err)
	same(t, "one left", f.names(f.query("Counter")), []string{"b"})
}

func TestTransforms(t *testing.T) {
	f := open(t)
	key := f.key("T", "a")
	put := datastore.PropertyList{
		{Name: "n", Value: int64(5)}, {Name: "hi", Value: int64(5)}, {Name: "lo", Value: int64(5)},
		{Name: "tags", Value: []any{"a", "b", "a"}},
	}
	_, err := f.Mutate(f.ctx, datastore.NewUpsert(key, &put).WithTransforms(
		datastore.Increment("n", 3),
		datastore.Maximum("hi", 9),
		datastore.Minimum("lo", 2),
		datastore.SetToServerTime("at"),
		datastore.AppendMissingElements("tags", "b", "c"),
		datastore.RemoveAllFromArray("tags", "a"),
	))
	check(t, err)
	var got datastore.PropertyList
	check(t, f.Get(f.ctx, key, &got))
	values := map[string]any{}
	for _, property := range got {
		values[property.Name] = property.Value
	}
	if at, isTime := values["at"].(time.Time); !isTime || at.Year() < 2020 {
		t.Errorf("at: %v", values["at"])
	}
	delete(values, "at")
	same(t, "transformed", values, map[string]any{
		"n": int64(8), "hi": int64(9), "lo": int64(2), "tags": []any{"b", "c"},
	})
}

// alone unwraps the single error of a call on one entity.
func alone(err error) error {
	var each datastore.MultiError
	if errors.As(err, &each) && len(each) == 1 {
		return each[0]
	}
	return err
}

func TestNamespacesAndNamedDatabasesDoNotSeeEachOther(t *testing.T) {
	f := open(t)
	key := f.key("Counter", "a")
	_, err := f.Put(f.ctx, key, &counter{1})
	check(t, err)
	elsewhere := datastore.NameKey("Counter", "a", nil)
	elsewhere.Namespace = f.namespace + "x"
	var got counter
	if err := f.Get(f.ctx, elsewhere, &got); err != datastore.ErrNoSuchEntity {
		t.Errorf("another namespace: %v", err)
	}
	ledger, err := datastore.NewClientWithDatabase(f.ctx, project, "ledger")
	check(t, err)
	defer ledger.Close()
	if err := ledger.Get(f.ctx, key, &got); err != datastore.ErrNoSuchEntity {
		t.Errorf("another database: %v", err)
	}
	_, err = ledger.Put(f.ctx, key, &counter{2})
	check(t, err)
	count, err := ledger.Count(f.ctx, f.query("Counter"))
	check(t, err)
	same(t, "count in the other database", count, 1)
	check(t, f.Get(f.ctx, key, &got))
	same(t, "first database", got, counter{1})
}

func TestReadTimeShowsThePast(t *testing.T) {
	f := open(t)
	key := f.key("Counter", "a")
	_, err := f.Put(f.ctx, key, &counter{1})
	check(t, err)
	then := time.Now().Truncate(time.Second).Add(time.Second) // this client asks for whole seconds
	for !time.Now().After(then) {
		var got counter
		check(t, f.Get(f.ctx, key, &got)) // until that moment is over
	}
	_, err = f.Put(f.ctx, key, &counter{2})
	check(t, err)
	past := f.WithReadOptions(datastore.ReadTime(then))
	defer past.WithReadOptions()
	var got counter
	check(t, past.Get(f.ctx, key, &got))
	same(t, "the past", got, counter{1})
	var seen []counter
	_, err = past.GetAll(f.ctx, f.query("Counter"), &seen)
	check(t, err)
	same(t, "a query of the past", seen, []counter{{1}})
	result, err := past.RunAggregationQuery(f.ctx, f.query("Counter").NewAggregationQuery().WithSum("N", "sum"))
	check(t, err)
	same(t, "a sum of the past", result["sum"].(*pb.Value).GetIntegerValue(), int64(1))
}

func TestErrorsHaveTheDocumentedCodes(t *testing.T) {
	f := open(t)
	big := datastore.PropertyList{{Name: "v", Value: strings.Repeat("x", 1<<20), NoIndex: true}}
	_, err := f.Put(f.ctx, f.key("Big", "a"), &big)
	refused(t, "an entity over 1 MiB", alone(err), codes.InvalidArgument)
	_, err = f.Put(f.ctx, f.key("Counter", strings.Repeat("x", 1501)), &counter{1})
	refused(t, "a name over 1500 bytes", alone(err), codes.InvalidArgument)
	_, err = f.Put(f.ctx, f.key("__reserved__", "a"), &counter{1})
	refused(t, "a reserved kind", alone(err), codes.InvalidArgument)
	_, err = f.GetAll(f.ctx, f.query("City").Project("Country").FilterField("Country", "=", "at"), &[]city{})
	refused(t, "projection on an equality", err, codes.InvalidArgument)
	many := make([]any, 31)
	for i := range many {
		many[i] = i
	}
	_, err = f.GetAll(f.ctx, f.query("City").FilterField("Thousands", "in", many), &[]city{})
	refused(t, "31 alternatives", err, codes.InvalidArgument)
}

func TestWritesFromManyGoroutinesAreAllThere(t *testing.T) {
	f := open(t)
	var all sync.WaitGroup
	for i := 0; i < 16; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 10 {
				if _, err := f.Put(f.ctx, f.incomplete("Counter"), &counter{1}); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
	count, err := f.Count(f.ctx, f.query("Counter"))
	check(t, err)
	same(t, "count", count, 160)
}

func drain(t *testing.T, it *datastore.Iterator) []string {
	t.Helper()
	names := []string{}
	for {
		key, err := it.Next(nil)
		if err == iterator.Done {
			return names
		}
		check(t, err)
		names = append(names, key.Name)
	}
}
