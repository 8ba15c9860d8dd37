package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"google.golang.org/appengine/v2"
	"google.golang.org/appengine/v2/memcache"
)

func TestTheTicketDecidesWhoseDataIsUsed(t *testing.T) {
	first, second := project(), project()
	request(t, first+"/1", func(ctx context.Context) { set(t, ctx, "k", "of the first") })
	request(t, second+"/1", func(ctx context.Context) {
		_, err := memcache.Get(ctx, "k")
		equal(t, err, memcache.ErrCacheMiss)
	})
	request(t, first+"/2", func(ctx context.Context) { equal(t, value(t, ctx, "k"), "of the first") })
}

func TestACallWithoutATicketMeansTheDefaultProject(t *testing.T) {
	key := project()
	request(t, "", func(ctx context.Context) { set(t, ctx, key, "1") })
	request(t, "not a project", func(ctx context.Context) { equal(t, value(t, ctx, key), "1") })
	set(t, appengine.BackgroundContext(), key, "2")
	request(t, "", func(ctx context.Context) { equal(t, value(t, ctx, key), "2") })
}

func TestAnExpiredTicketIsRefused(t *testing.T) {
	request(t, "ticket."+strings.Repeat("0", 32), func(ctx context.Context) {
		_, err := memcache.Get(ctx, "k")
		if err == nil || !strings.Contains(err.Error(), "ticket") {
			t.Fatal(err)
		}
	})
}

func TestADeadlineThatHasPassed(t *testing.T) {
	inApp(t, func(ctx context.Context) {
		late, cancel := context.WithTimeout(ctx, time.Nanosecond)
		defer cancel()
		_, err := memcache.Get(late, "k")
		if err == nil {
			t.Fatal("the call succeeded")
		}
	})
}
