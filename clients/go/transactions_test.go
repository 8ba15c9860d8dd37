package clients

import (
	"errors"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/datastore"
	pb "cloud.google.com/go/datastore/apiv1/datastorepb"
)

func (f *fixture) counter(n int) *datastore.Key {
	f.t.Helper()
	key := f.key("Counter", "a")
	_, err := f.Put(f.ctx, key, &counter{n})
	check(f.t, err)
	return key
}

func (f *fixture) n(key *datastore.Key) int {
	f.t.Helper()
	var got counter
	check(f.t, f.Get(f.ctx, key, &got))
	return got.N
}

func TestOfTwoTransactionsTheSecondToCommitIsRefused(t *testing.T) {
	f := open(t)
	key := f.counter(1)
	begin := func() *datastore.Transaction {
		transaction, err := f.NewTransaction(f.ctx)
		check(t, err)
		var got counter
		check(t, transaction.Get(key, &got))
		_, err = transaction.Put(key, &counter{got.N + 1})
		check(t, err)
		return transaction
	}
	first, second := begin(), begin()
	_, err := first.Commit()
	check(t, err)
	if _, err = second.Commit(); err != datastore.ErrConcurrentTransaction {
		t.Errorf("the second commit: %v", err)
	}
	same(t, "counted once", f.n(key), 2)
}

func TestARetryAfterAConflictFinishes(t *testing.T) {
	f := open(t)
	key := f.counter(1)
	attempts := 0
	_, err := f.RunInTransaction(f.ctx, func(transaction *datastore.Transaction) error {
		attempts++
		var got counter
		if err := transaction.Get(key, &got); err != nil {
			return err
		}
		if attempts == 1 {
			_, err := f.Put(f.ctx, key, &counter{50})
			check(t, err)
		}
		_, err := transaction.Put(key, &counter{got.N + 1})
		return err
	})
	check(t, err)
	same(t, "attempts", attempts, 2)
	same(t, "counted", f.n(key), 51)
}

func TestIncrementsFromManyGoroutinesAreAllCounted(t *testing.T) {
	f := open(t)
	key := f.counter(0)
	var all sync.WaitGroup
	for range 6 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 5 {
				_, err := f.RunInTransaction(f.ctx, func(transaction *datastore.Transaction) error {
					var got counter
					if err := transaction.Get(key, &got); err != nil {
						return err
					}
					_, err := transaction.Put(key, &counter{got.N + 1})
					return err
				}, datastore.MaxAttempts(100))
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
	same(t, "counted", f.n(key), 30)
}

func TestAFailedFunctionLeavesNothingBehind(t *testing.T) {
	f := open(t)
	key := f.counter(1)
	onPurpose := errors.New("on purpose")
	_, err := f.RunInTransaction(f.ctx, func(transaction *datastore.Transaction) error {
		if _, err := transaction.Put(key, &counter{9}); err != nil {
			return err
		}
		return onPurpose
	})
	if !errors.Is(err, onPurpose) {
		t.Error(err)
	}
	same(t, "unchanged", f.n(key), 1)
}

func TestAPhantomIsAConflict(t *testing.T) {
	f := open(t)
	f.counter(1)
	transaction, err := f.NewTransaction(f.ctx)
	check(t, err)
	var got []counter
	_, err = f.GetAll(f.ctx, f.query("Counter").FilterField("N", "=", 1).Transaction(transaction), &got)
	check(t, err)
	same(t, "seen", len(got), 1)
	_, err = f.Put(f.ctx, f.key("Counter", "z"), &counter{1})
	check(t, err)
	_, err = transaction.Put(f.key("Sum", "s"), &counter{len(got)})
	check(t, err)
	if _, err = transaction.Commit(); err != datastore.ErrConcurrentTransaction {
		t.Errorf("the commit: %v", err)
	}
}

func TestAReadOnlyTransactionReadsOneSnapshot(t *testing.T) {
	f := open(t)
	key := f.counter(1)
	transaction, err := f.NewTransaction(f.ctx, datastore.ReadOnly)
	check(t, err)
	var got counter
	check(t, transaction.Get(key, &got))
	_, err = f.Put(f.ctx, key, &counter{2})
	check(t, err)
	check(t, transaction.Get(key, &got))
	same(t, "still", got.N, 1)
	_, err = transaction.Commit()
	check(t, err)
	same(t, "now", f.n(key), 2)
}

func TestAReadOnlyTransactionInThePast(t *testing.T) {
	f := open(t)
	key := f.counter(1)
	then := time.Now().Truncate(time.Microsecond).Add(time.Microsecond) // what the server takes, and its clock is ours
	for !time.Now().After(then.Add(time.Millisecond)) {
		f.n(key) // until that moment is over
	}
	_, err := f.Put(f.ctx, key, &counter{2})
	check(t, err)
	transaction, err := f.NewTransaction(f.ctx, datastore.ReadOnly, datastore.WithReadTime(then))
	check(t, err)
	var got counter
	check(t, transaction.Get(key, &got))
	same(t, "then", got.N, 1)
	_, err = transaction.Commit()
	check(t, err)
	same(t, "now", f.n(key), 2)
}

func TestAggregationsInsideATransactionSeeItsSnapshot(t *testing.T) {
	f := open(t)
	key := f.counter(1)
	transaction, err := f.NewTransaction(f.ctx)
	check(t, err)
	var got counter
	check(t, transaction.Get(key, &got))
	_, err = f.Put(f.ctx, f.key("Counter", "z"), &counter{1})
	check(t, err)
	query := f.query("Counter").Transaction(transaction).NewAggregationQuery().WithCount("n")
	result, err := f.RunAggregationQuery(f.ctx, query)
	check(t, err)
	same(t, "count", result["n"].(*pb.Value).GetIntegerValue(), int64(1))
	check(t, transaction.Rollback())
}

func TestATransactionThatBeginsWithItsFirstRead(t *testing.T) {
	f := open(t)
	key := f.counter(1)
	_, err := f.RunInTransaction(f.ctx, func(transaction *datastore.Transaction) error {
		var got counter
		if err := transaction.Get(key, &got); err != nil {
			return err
		}
		_, err := transaction.Put(key, &counter{got.N + 1})
		return err
	}, datastore.BeginLater)
	check(t, err)
	same(t, "counted", f.n(key), 2)
}

func TestPendingKeysAreFilledInAtCommit(t *testing.T) {
	f := open(t)
	var pending *datastore.PendingKey
	commit, err := f.RunInTransaction(f.ctx, func(transaction *datastore.Transaction) error {
		var err error
		pending, err = transaction.Put(f.incomplete("Counter"), &counter{7})
		return err
	})
	check(t, err)
	same(t, "stored", f.n(commit.Key(pending)), 7)
}

func TestARollbackEndsATransaction(t *testing.T) {
	f := open(t)
	key := f.counter(1)
	transaction, err := f.NewTransaction(f.ctx)
	check(t, err)
	_, err = transaction.Put(key, &counter{5})
	check(t, err)
	check(t, transaction.Rollback())
	if _, err := transaction.Commit(); err == nil {
		t.Error("a commit after a rollback went through")
	}
	same(t, "unchanged", f.n(key), 1)
}
