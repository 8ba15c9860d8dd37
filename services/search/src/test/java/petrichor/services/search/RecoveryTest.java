package petrichor.services.search;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.services.search.Searches.INDEX;
import static petrichor.services.search.Searches.PROJECT;
import static petrichor.services.search.Searches.document;
import static petrichor.services.search.Searches.text;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.search.model.IndexName;
import petrichor.services.search.model.SearchResults;

final class RecoveryTest {
    @TempDir Path temporary;

    private final KeyValueStore store = MemoryStore.open();
    private Path folder = Path.of("unset");

    @BeforeEach
    void setFolder() {
        folder = temporary.resolve("copies");
    }

    private static void put(Searches searches, int from, int to) {
        for (int i = from; i < to; i++) {
            searches.put(document("d" + i, text("t", "word w" + i)));
        }
    }

    private static void requireAgreement(Searches searches, int documents) {
        assertThat(searches.rows()).hasSize(documents);
        assertThat(searches.ids("word")).containsExactlyInAnyOrderElementsOf(searches.rows());
    }

    @Test
    void aClosedCopyIsOpenedWithoutWork() {
        try (Searches searches = new Searches(store, folder)) {
            put(searches, 0, 20);
        }
        try (Searches searches = new Searches(store, folder)) {
            requireAgreement(searches, 20);
            assertThat(searches.service.metrics().rebuilds()).isZero();
            assertThat(searches.service.metrics().changesReplayed()).isZero();
        }
    }

    @Test
    void changesAfterTheLastCommitOfTheCopyAreReplayed() throws IOException {
        Path old = temporary.resolve("old");
        try (Searches searches = new Searches(store, folder)) {
            put(searches, 0, 20);
        }
        copyFolder(folder, old);
        try (Searches searches = new Searches(store, folder)) {
            put(searches, 20, 30);
            searches.put(document("d1", text("t", "changed")));
            searches.service.delete(PROJECT, INDEX, List.of("d2", "d25"));
        }
        try (Searches searches = new Searches(store, old)) {
            assertThat(searches.ids("word")).hasSize(27).doesNotContain("d1", "d2", "d25");
            assertThat(searches.ids("changed")).containsExactly("d1");
            assertThat(searches.rows()).hasSize(28);
            assertThat(searches.service.metrics().rebuilds()).isZero();
            assertThat(searches.service.metrics().changesReplayed()).isEqualTo(12);
        }
    }

    @Test
    void aCopyOlderThanTheRetainedChangesIsBuiltAgain() throws IOException {
        Path old = temporary.resolve("old");
        SearchSettings few = SearchSettings.of(folder).withRetainedChanges(5);
        try (Searches searches = new Searches(store, few)) {
            put(searches, 0, 10);
        }
        copyFolder(folder, old);
        for (int round = 1; round < 4; round++) {
            // Closing makes the copy durable, after which changes are trimmed.
            try (Searches searches = new Searches(store, few)) {
                put(searches, 10 * round, 10 * round + 10);
            }
        }
        try (Searches searches = new Searches(store, old)) {
            requireAgreement(searches, 40);
            assertThat(searches.service.metrics().rebuilds()).isOne();
        }
    }

    @Test
    void aLostFolderIsBuiltAgain() throws IOException {
        try (Searches searches = new Searches(store, folder)) {
            put(searches, 0, 20);
        }
        deleteAll(folder);
        try (Searches searches = new Searches(store, folder)) {
            requireAgreement(searches, 20);
            assertThat(searches.service.metrics().rebuilds()).isOne();
            assertThat(searches.service.metrics().documentsToRebuild()).isZero();
        }
    }

    @Test
    void aDamagedFolderIsBuiltAgain() throws IOException {
        try (Searches searches = new Searches(store, folder)) {
            put(searches, 0, 20);
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(f -> f.toString().contains("segments_")).toList()) {
                Files.write(file, new byte[] {1, 2, 3});
            }
        }
        try (Searches searches = new Searches(store, folder)) {
            requireAgreement(searches, 20);
            put(searches, 20, 25);
            requireAgreement(searches, 25);
        }
    }

    @Test
    void droppedRowsLeaveNothingInTheCopy() {
        try (Searches searches = new Searches(store, folder)) {
            put(searches, 0, 20);
            searches.databases.drop(PROJECT);
            assertThat(searches.ids("word")).isEmpty();
            put(searches, 50, 53);
            requireAgreement(searches, 3);
        }
        try (Searches searches = new Searches(store, folder)) {
            requireAgreement(searches, 3);
        }
    }

    @Test
    void aDatabaseThatWasReleasedIsReadAgain() {
        try (Searches here = new Searches(store, folder)) {
            put(here, 0, 5);
            here.databases.release(PROJECT);
            try (Searches there = new Searches(store, temporary.resolve("other"))) {
                put(there, 5, 10);
                requireAgreement(there, 10);
                there.databases.release(PROJECT);
            }
            requireAgreement(here, 10);
            put(here, 10, 12);
            requireAgreement(here, 12);
        }
    }

    @Test
    void copiesInMemoryAreBuiltFromRows() {
        try (Searches searches = new Searches(store, SearchSettings.of(null))) {
            put(searches, 0, 20);
        }
        try (Searches searches = new Searches(store, SearchSettings.of(null))) {
            requireAgreement(searches, 20);
        }
    }

    @Test
    void theLongestUnusedIndexIsClosedForAnother() {
        SearchSettings two = SearchSettings.of(folder).withOpenIndexesMax(2);
        try (Searches searches = new Searches(store, two)) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 6; i++) {
                    IndexName index = new IndexName("", "index" + i);
                    searches.service.put(
                            PROJECT, index, List.of(document("d" + round, text("t", "word"))));
                    assertThat(found(searches, index)).isEqualTo(round + 1);
                    assertThat(searches.service.openIndexes()).isLessThanOrEqualTo(2);
                }
            }
        }
    }

    private static long found(Searches searches, IndexName index) {
        SearchResults results =
                searches.service.search(PROJECT, index, Searches.request("word", 10));
        return results == null ? -1 : results.found();
    }

    @Test
    void tidyingMakesChangesDurable() {
        SearchSettings eager =
                new SearchSettings(
                        folder,
                        SearchSettings.INDEX_BYTES_MAX,
                        SearchSettings.FIELD_NAMES_MAX,
                        SearchSettings.OPEN_INDEXES_MAX,
                        SearchSettings.BUFFER_MEGABYTES,
                        SearchSettings.OPEN_WAIT_MAX,
                        Duration.ZERO,
                        SearchSettings.IDLE_MAX,
                        SearchSettings.RETAINED_CHANGES);
        try (Searches searches = new Searches(store, eager)) {
            put(searches, 0, 5);
            assertThat(searches.service.uncommittedChanges()).isEqualTo(5);
            searches.service.tidy();
            assertThat(searches.service.uncommittedChanges()).isZero();
        }
    }

    private static void copyFolder(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    private static void deleteAll(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
