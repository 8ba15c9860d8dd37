package petrichor.services.blobs.content;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.KeyRange;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;
import petrichor.transactions.databases.RowDatabases;

class RowContentTest implements ContentConformance {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    @Override
    public BlobContent content() {
        return new RowContent(() -> databases, 1 << 20);
    }

    @Test
    void chunksFitIntoTheValuesOfTheStore() {
        int valueBytesMax = 70_000;
        RowContent small = new RowContent(() -> databases, valueBytesMax);
        ContentId id = new ContentId("p", 1, 2);
        try (ContentWriter writer = small.append(id, 0)) {
            writer.write(new byte[GRANULE + 1], 0, GRANULE + 1);
            writer.finish();
        }
        int rows = 0;
        try (Snapshot snapshot = databases.open("p").snapshot();
                RowCursor all = snapshot.scan(KeyRange.ALL, petrichor.kv.Direction.FORWARD)) {
            while (all.next()) {
                assertThat(all.value()).hasSizeLessThan(valueBytesMax);
                rows++;
            }
        }
        assertThat(rows).isEqualTo(9);
    }
}
