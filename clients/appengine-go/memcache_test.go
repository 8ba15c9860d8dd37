package app

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"google.golang.org/appengine/v2"
	"google.golang.org/appengine/v2/memcache"
)

func set(t *testing.T, ctx context.Context, key, value string) {
	t.Helper()
	check(t, memcache.Set(ctx, &memcache.Item{Key: key, Value: []byte(value)}))
}

func value(t *testing.T, ctx context.Context, key string) string {
	t.Helper()
	item, err := memcache.Get(ctx, key)
	check(t, err)
	return string(item.Value)
}

func TestAnItemIsReadAsItWasStored(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		check(t, memcache.Set(ctx, &memcache.Item{Key: "k", Value: []byte("välue\x00"), Flags: 7}))
		item, err := memcache.Get(ctx, "k")
		check(t, err)
		equal(t, string(item.Value), "välue\x00")
		equal(t, item.Flags, 7)
		_, err = memcache.Get(ctx, "missing")
		equal(t, err, memcache.ErrCacheMiss)
	})
}

func TestManyAtOnce(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		items := []*memcache.Item{{Key: "a", Value: []byte("1")}, {Key: "b", Value: []byte("2")}}
		check(t, memcache.SetMulti(ctx, items))
		found, err := memcache.GetMulti(ctx, []string{"a", "b", "c"})
		check(t, err)
		equal(t, len(found), 2)
		err = memcache.AddMulti(ctx, []*memcache.Item{{Key: "a", Value: []byte("3")}, {Key: "c", Value: []byte("3")}})
		several, ok := err.(appengine.MultiError)
		equal(t, ok, true)
		equal(t, several[0], memcache.ErrNotStored)
		equal(t, several[1], nil)
		check(t, memcache.DeleteMulti(ctx, []string{"a", "b", "c"}))
	})
}

func TestAddNeedsAMissingItem(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		item := &memcache.Item{Key: "k", Value: []byte("1")}
		check(t, memcache.Add(ctx, item))
		equal(t, memcache.Add(ctx, item), memcache.ErrNotStored)
		check(t, memcache.Delete(ctx, "k"))
		equal(t, memcache.Delete(ctx, "k"), memcache.ErrCacheMiss)
	})
}

func TestCompareAndSwap(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		set(t, ctx, "k", "1")
		first, err := memcache.Get(ctx, "k")
		check(t, err)
		second, err := memcache.Get(ctx, "k")
		check(t, err)
		first.Value = []byte("2")
		check(t, memcache.CompareAndSwap(ctx, first))
		equal(t, memcache.CompareAndSwap(ctx, second), memcache.ErrCASConflict)
		check(t, memcache.Delete(ctx, "k"))
		equal(t, memcache.CompareAndSwap(ctx, first), memcache.ErrNotStored)
	})
}

func TestCounters(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		got, err := memcache.Increment(ctx, "n", 5, 10)
		check(t, err)
		equal(t, got, 15)
		got, err = memcache.Increment(ctx, "n", -20, 0)
		check(t, err)
		equal(t, got, 0)
		_, err = memcache.IncrementExisting(ctx, "missing", 1)
		equal(t, err, memcache.ErrCacheMiss)
	})
}

func TestConcurrentCounts(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		var all sync.WaitGroup
		for range 250 {
			all.Add(1)
			go func() {
				defer all.Done()
				if _, err := memcache.Increment(ctx, "n", 1, 0); err != nil {
					t.Error(err)
				}
			}()
		}
		all.Wait()
		equal(t, value(t, ctx, "n"), "250")
	})
}

func TestItemsExpire(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		check(t, memcache.Set(ctx, &memcache.Item{Key: "k", Value: []byte("v"), Expiration: time.Second}))
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
			if _, err := memcache.Get(ctx, "k"); err == memcache.ErrCacheMiss {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatal("the item did not expire")
	})
}

func TestNamespaces(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		other, err := appengine.Namespace(ctx, "other")
		check(t, err)
		set(t, other, "k", "1")
		_, err = memcache.Get(ctx, "k")
		equal(t, err, memcache.ErrCacheMiss)
		equal(t, value(t, other, "k"), "1")
	})
}

func TestValuesOfOneMegabyte(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		large := bytes.Repeat([]byte("x"), 1_000_000)
		check(t, memcache.Set(ctx, &memcache.Item{Key: "k", Value: large}))
		equal(t, len(value(t, ctx, "k")), len(large))
		err := memcache.Set(ctx, &memcache.Item{Key: "k", Value: append(large, 'x')})
		equal(t, err, memcache.ErrServerError)
	})
}

func TestFlushAndStatistics(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		set(t, ctx, "k", "value")
		value(t, ctx, "k")
		stats, err := memcache.Stats(ctx)
		check(t, err)
		equal(t, stats.Hits, 1)
		equal(t, stats.Items, 1)
		equal(t, stats.Bytes, 6)
		check(t, memcache.Flush(ctx))
		_, err = memcache.Get(ctx, "k")
		equal(t, err, memcache.ErrCacheMiss)
	})
}
