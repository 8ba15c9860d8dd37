package tables

import (
	"database/sql"
	"errors"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/lib/pq"
)

func TestDatabaseSQL(t *testing.T) {
	for _, driver := range []string{"postgres", "pgx"} {
		t.Run(driver, func(t *testing.T) {
			ctx := background(t)
			database, err := sql.Open(driver, url(t))
			check(t, err)
			defer database.Close()
			_, err = database.ExecContext(ctx, "CREATE TABLE item (id SERIAL PRIMARY KEY, name TEXT UNIQUE, price NUMERIC(8,2))")
			check(t, err)
			var id int64
			insert := "INSERT INTO item (name, price) VALUES ($1, $2) RETURNING id"
			check(t, database.QueryRowContext(ctx, insert, "pen", 1.25).Scan(&id))
			equal(t, "id", id, 1)

			prepared, err := database.PrepareContext(ctx, "SELECT name, price FROM item WHERE price < $1 ORDER BY name")
			check(t, err)
			defer prepared.Close()
			rows, err := prepared.QueryContext(ctx, 10)
			check(t, err)
			defer rows.Close()
			types, err := rows.ColumnTypes()
			check(t, err)
			equal(t, "type", types[1].DatabaseTypeName(), "NUMERIC")
			names := []string{}
			for rows.Next() {
				var name string
				var price float64
				check(t, rows.Scan(&name, &price))
				names = append(names, name)
			}
			check(t, rows.Err())
			sameList(t, "names", names, "pen")

			tx, err := database.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: true})
			check(t, err)
			if _, err = tx.ExecContext(ctx, "DELETE FROM item"); err == nil {
				t.Error("a read-only transaction deleted rows")
			}
			check(t, tx.Rollback())
		})
	}
}

func TestErrorsAndCopyOfLibPQ(t *testing.T) {
	ctx := background(t)
	database, err := sql.Open("postgres", url(t))
	check(t, err)
	defer database.Close()
	_, err = database.ExecContext(ctx, "CREATE TABLE item (id INT PRIMARY KEY, tags TEXT[])")
	check(t, err)
	tx, err := database.BeginTx(ctx, nil)
	check(t, err)
	copying, err := tx.PrepareContext(ctx, `COPY "item" ("id", "tags") FROM STDIN`)
	check(t, err)
	for id := range 100 {
		_, err = copying.ExecContext(ctx, id, pq.Array([]string{"a", "b c"}))
		check(t, err)
	}
	_, err = copying.ExecContext(ctx)
	check(t, err)
	check(t, copying.Close())
	check(t, tx.Commit())
	var tags []string
	check(t, database.QueryRowContext(ctx, "SELECT tags FROM item WHERE id = 99").Scan(pq.Array(&tags)))
	sameList(t, "tags", tags, "a", "b c")
	_, err = database.ExecContext(ctx, "INSERT INTO item VALUES (1, NULL)")
	var failure *pq.Error
	if !errors.As(err, &failure) || failure.Code.Name() != "unique_violation" {
		t.Errorf("a second row with the key: got %v", err)
	}
}
