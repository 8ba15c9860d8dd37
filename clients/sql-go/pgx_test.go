package tables

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

const account = "CREATE TABLE account (id INT PRIMARY KEY, owner TEXT, balance NUMERIC(12,2), opened TIMESTAMPTZ)"

func pool(t *testing.T, ctx context.Context) *pgxpool.Pool {
	t.Helper()
	opened, err := pgxpool.New(ctx, url(t))
	check(t, err)
	t.Cleanup(opened.Close)
	_, err = opened.Exec(ctx, account)
	check(t, err)
	return opened
}

func TestQueriesInEachMode(t *testing.T) {
	modes := map[string]pgx.QueryExecMode{
		"cached statements":   pgx.QueryExecModeCacheStatement,
		"cached descriptions": pgx.QueryExecModeCacheDescribe,
		"described":           pgx.QueryExecModeDescribeExec,
		"text":                pgx.QueryExecModeExec,
		"simple":              pgx.QueryExecModeSimpleProtocol,
	}
	ctx := background(t)
	accounts := pool(t, ctx)
	id := 0
	for name, mode := range modes {
		id++
		opened := time.Date(2026, 11, 28, 12, 30, 0, 0, time.UTC)
		_, err := accounts.Exec(ctx, "INSERT INTO account VALUES ($1, $2, $3, $4)", mode, id, name, "12.50", opened)
		check(t, err)
		var owner string
		var balance float64
		var read time.Time
		row := accounts.QueryRow(ctx, "SELECT owner, balance, opened FROM account WHERE id = $1", mode, id)
		check(t, row.Scan(&owner, &balance, &read))
		equal(t, name+": owner", owner, name)
		equal(t, name+": balance", balance, 12.5)
		equal(t, name+": time", read.UTC(), opened)
	}
}

func TestTypesInTheBinaryFormat(t *testing.T) {
	ctx := background(t)
	connection, err := pgx.Connect(ctx, url(t))
	check(t, err)
	defer connection.Close(ctx)
	_, err = connection.Exec(ctx, "CREATE TABLE kinds (k INT PRIMARY KEY, s SMALLINT, b BIGINT, f DOUBLE PRECISION,"+
		" x BOOLEAN, y BYTEA, born DATE, u UUID, j JSONB, a INT[], t TEXT[])")
	check(t, err)
	born := time.Date(1815, 12, 10, 0, 0, 0, 0, time.UTC)
	uuid := pgtype.UUID{Bytes: [16]byte{1, 2, 3}, Valid: true}
	_, err = connection.Exec(ctx, "INSERT INTO kinds VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		1, int16(-2), int64(1)<<40, 0.1, true, []byte{0, 255}, born, uuid, map[string]int{"a": 1},
		[]int32{1, 2, 3}, []string{"a", "b,c"})
	check(t, err)
	var small int16
	var big int64
	var double float64
	var yes bool
	var bytes []byte
	var date time.Time
	var id pgtype.UUID
	var object map[string]int
	var numbers []int32
	var texts []string
	row := connection.QueryRow(ctx, "SELECT s, b, f, x, y, born, u, j, a, t FROM kinds WHERE k = 1")
	check(t, row.Scan(&small, &big, &double, &yes, &bytes, &date, &id, &object, &numbers, &texts))
	equal(t, "smallint", small, -2)
	equal(t, "bigint", big, 1<<40)
	equal(t, "double", double, 0.1)
	equal(t, "boolean", yes, true)
	sameList(t, "bytea", bytes, 0, 255)
	equal(t, "date", date, born)
	equal(t, "uuid", id, uuid)
	equal(t, "jsonb", object["a"], 1)
	sameList(t, "integers", numbers, 1, 2, 3)
	sameList(t, "texts", texts, "a", "b,c")
}

func TestCopyFromAndBatches(t *testing.T) {
	ctx := background(t)
	accounts := pool(t, ctx)
	rows := [][]any{}
	for id := range 1000 {
		rows = append(rows, []any{id, "owner", nil, time.Unix(int64(id), 0)})
	}
	columns := []string{"id", "owner", "balance", "opened"}
	copied, err := accounts.CopyFrom(ctx, pgx.Identifier{"account"}, columns, pgx.CopyFromRows(rows))
	check(t, err)
	equal(t, "copied rows", copied, 1000)

	_, err = accounts.CopyFrom(ctx, pgx.Identifier{"account"}, columns, pgx.CopyFromRows(rows[:1]))
	refused(t, "a copy of a key that exists", err, "23505")

	batch := &pgx.Batch{}
	for id := range 100 {
		batch.Queue("UPDATE account SET balance = $1 WHERE id = $2", id, id)
	}
	batch.Queue("SELECT sum(balance), count(*) FROM account")
	results := accounts.SendBatch(ctx, batch)
	for range 100 {
		tag, err := results.Exec()
		check(t, err)
		equal(t, "rows of an update", tag.RowsAffected(), 1)
	}
	var sum float64
	var count int
	check(t, results.QueryRow().Scan(&sum, &count))
	check(t, results.Close())
	equal(t, "sum", sum, 4950)
	equal(t, "count", count, 1000)
}

func TestABatchThatFailsHasNoEffect(t *testing.T) {
	ctx := background(t)
	accounts := pool(t, ctx)
	batch := &pgx.Batch{}
	batch.Queue("INSERT INTO account (id) VALUES (1)")
	batch.Queue("INSERT INTO account (id) VALUES (1)")
	refused(t, "a batch with one key twice", accounts.SendBatch(ctx, batch).Close(), "23505")
	var count int
	check(t, accounts.QueryRow(ctx, "SELECT count(*) FROM account").Scan(&count))
	equal(t, "count", count, 0)
}

// Transfers between two accounts, concurrently: conflicts are the error 40001, and are repeated.
func TestTransactionsThatAreRepeatedAfterConflicts(t *testing.T) {
	ctx := background(t)
	accounts := pool(t, ctx)
	_, err := accounts.Exec(ctx, "INSERT INTO account (id, balance) VALUES (1, 100), (2, 100)")
	check(t, err)
	var transfers sync.WaitGroup
	for range 4 {
		transfers.Go(func() {
			for range 5 {
				if err := transfer(ctx, accounts); err != nil {
					t.Error(err)
				}
			}
		})
	}
	transfers.Wait()
	var one, two float64
	check(t, accounts.QueryRow(ctx, "SELECT balance FROM account WHERE id = 1").Scan(&one))
	check(t, accounts.QueryRow(ctx, "SELECT balance FROM account WHERE id = 2").Scan(&two))
	equal(t, "first account", one, 80)
	equal(t, "second account", two, 120)
}

func transfer(ctx context.Context, accounts *pgxpool.Pool) error {
	for {
		err := pgx.BeginTxFunc(ctx, accounts, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "UPDATE account SET balance = balance - 1 WHERE id = 1"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "UPDATE account SET balance = balance + 1 WHERE id = 2")
			return err
		})
		var failure *pgconn.PgError
		if !errors.As(err, &failure) || failure.Code != "40001" {
			return err
		}
	}
}

func TestSavepointsAndErrors(t *testing.T) {
	ctx := background(t)
	accounts := pool(t, ctx)
	check(t, pgx.BeginFunc(ctx, accounts, func(outer pgx.Tx) error {
		if _, err := outer.Exec(ctx, "INSERT INTO account (id) VALUES (1)"); err != nil {
			return err
		}
		inner, err := outer.Begin(ctx)
		check(t, err)
		_, err = inner.Exec(ctx, "INSERT INTO account (id) VALUES (1)")
		refused(t, "a second row with the key", err, "23505")
		_, err = inner.Exec(ctx, "SELECT 1")
		refused(t, "a statement after an error", err, "25P02")
		return inner.Rollback(ctx)
	}))
	var count int
	check(t, accounts.QueryRow(ctx, "SELECT count(*) FROM account").Scan(&count))
	equal(t, "count", count, 1)
	_, err := accounts.Exec(ctx, "SELECT * FROM acount")
	refused(t, "an unknown table", err, "42P01")
}

func TestAQueryIsCanceledWithItsContext(t *testing.T) {
	ctx := background(t)
	connection, err := pgx.Connect(ctx, url(t))
	check(t, err)
	defer connection.Close(ctx)
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	var count int64
	err = connection.QueryRow(short, "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b").Scan(&count)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a query beyond its deadline: got %v", err)
	}
}

func refused(t *testing.T, what string, err error, state string) {
	t.Helper()
	var failure *pgconn.PgError
	if !errors.As(err, &failure) || failure.Code != state {
		t.Errorf("%s: got %v, want the error %s", what, err, state)
	}
}
