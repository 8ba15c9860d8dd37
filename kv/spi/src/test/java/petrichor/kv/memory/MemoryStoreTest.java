package petrichor.kv.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;

class MemoryStoreTest {
    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void viewKeepsWhatLaterWritesChange() {
        try (MemoryStore store = MemoryStore.open()) {
            store.createTable("rows");
            store.write(new WriteBatch().put("rows", bytes("a"), bytes("1")));
            try (StoreView view = store.view()) {
                store.write(new WriteBatch().deleteRange("rows", KeyRange.ALL));
                assertThat(view.get("rows", bytes("a"))).isEqualTo(bytes("1"));
                assertThat(store.get("rows", bytes("a"))).isNull();
            }
        }
    }

    @Test
    void scanWithoutViewsSeesRowsThatArriveAheadOfIt() {
        try (MemoryStore store = MemoryStore.open(MemoryOptions.DEFAULT.withoutViews())) {
            store.createTable("rows");
            store.write(new WriteBatch().put("rows", bytes("a"), bytes("1")));
            try (Scan scan =
                    store.scan("rows", KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
                assertThat(scan.next()).isTrue();
                store.write(new WriteBatch().put("rows", bytes("b"), bytes("2")));
                assertThat(scan.next()).isTrue();
                assertThat(scan.key()).isEqualTo(bytes("b"));
            }
        }
    }
}
