package petrichor.kv.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;

class RocksStoreTest {
    @TempDir Path folder;

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static WriteBatch row(String key, String value) {
        return new WriteBatch().put("rows", bytes(key), bytes(value));
    }

    private static void assertCode(ErrorCode code, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        PetrichorException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void rowsAndFencesSurviveReopening() {
        try (RocksStore store = RocksStore.open(folder)) {
            store.createTable("rows");
            DurableStep.AtomicBatch step = (DurableStep.AtomicBatch) store.durableStep();
            long fence = step.takeFence(bytes("db"));
            assertThat(step.commit(bytes("db"), fence, row("a", "1")))
                    .isEqualTo(DurableStep.Outcome.DONE);
        }
        try (RocksStore store = RocksStore.open(folder)) {
            assertThat(store.tables()).containsExactly("rows");
            assertThat(store.get("rows", bytes("a"))).isEqualTo(bytes("1"));
            DurableStep.AtomicBatch step = (DurableStep.AtomicBatch) store.durableStep();
            assertThat(step.commit(bytes("db"), 1, row("a", "2")))
                    .isEqualTo(DurableStep.Outcome.FENCED);
            assertThat(step.takeFence(bytes("db"))).isEqualTo(2);
        }
    }

    @Test
    void secondStoreOnTheSameFolderIsRefusedAndTheErrorNamesIt() {
        try (RocksStore store = RocksStore.open(folder)) {
            store.createTable("rows");
            assertCode(ErrorCode.FAILED_PRECONDITION, () -> RocksStore.open(folder));
            assertThatThrownBy(() -> RocksStore.open(folder))
                    .hasMessageContaining(folder.toString())
                    .hasMessageContaining("in use");
        }
    }

    @Test
    void closingFreesOpenScansAndViewsAndRefusesTheirNextCall() {
        RocksStore store = RocksStore.open(folder);
        store.createTable("rows");
        store.write(row("a", "1").put("rows", bytes("b"), bytes("2")));
        StoreView view = store.view();
        Scan scan = view.scan("rows", KeyRange.ALL, Direction.FORWARD, 10);
        assertThat(scan.next()).isTrue();
        assertThat(store.metrics().openScans()).isEqualTo(1);
        assertThat(store.metrics().openViews()).isEqualTo(1);
        store.close();
        assertCode(ErrorCode.UNAVAILABLE, scan::next);
        assertCode(ErrorCode.UNAVAILABLE, () -> view.get("rows", bytes("a")));
        assertCode(ErrorCode.UNAVAILABLE, () -> store.get("rows", bytes("a")));
        scan.close();
        view.close();
        store.close();
    }

    @Test
    void tableFilesWithoutTheirManifestAreDamageAndAreNotDeleted() throws IOException {
        Path table = Files.write(folder.resolve("000007.sst"), new byte[] {1});
        assertCode(ErrorCode.INTERNAL, () -> RocksStore.open(folder));
        assertThat(table).exists();
    }
}
