package clients

import (
	"fmt"
	"testing"

	"cloud.google.com/go/datastore"
)

// large is an entity with a large blob.
type large struct {
	Number int
	Blob   []byte `datastore:",noindex"`
}

func (f *fixture) store(kind string, count, size int) []*datastore.Key {
	f.t.Helper()
	keys := []*datastore.Key{}
	batch := 5_000_000 / size
	for start := 0; start < count; start += batch {
		part := []*datastore.Key{}
		entities := []large{}
		for number := start; number < count && number < start+batch; number++ {
			part = append(part, f.key(kind, fmt.Sprintf("%06d", number)))
			entities = append(entities, large{number, make([]byte, size)})
		}
		_, err := f.PutMulti(f.ctx, part, entities)
		check(f.t, err)
		keys = append(keys, part...)
	}
	return keys
}

func TestQueryOfTenThousandEntitiesOfTenKilobytes(t *testing.T) {
	f := open(t)
	f.store("Ten", 10_000, 10_000)
	var entities []large
	keys, err := f.GetAll(f.ctx, f.query("Ten"), &entities)
	check(t, err)
	if len(keys) != 10_000 {
		t.Fatalf("%d of 10,000 entities", len(keys))
	}
	for number, entity := range entities {
		if entity.Number != number || len(entity.Blob) != 10_000 {
			t.Fatalf("entity %d is %d with %d bytes", number, entity.Number, len(entity.Blob))
		}
	}
}

// One lookup: GetMulti repeats it for deferred keys.
func TestLookupOfAThousandKeysOfAHundredKilobytes(t *testing.T) {
	f := open(t)
	keys := f.store("Hundred", 1_000, 100_000)
	entities := make([]large, len(keys))
	check(t, f.GetMulti(f.ctx, keys, entities))
	for number, entity := range entities {
		if entity.Number != number || len(entity.Blob) != 100_000 {
			t.Fatalf("entity %d is %d with %d bytes", number, entity.Number, len(entity.Blob))
		}
	}
}
