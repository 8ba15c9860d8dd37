package petrichor.services.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.kv.KeyValueStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchFieldType;

/** Kills a process that writes documents: afterwards, searches and rows agree on all of them. */
@Tag("slow")
final class KilledWriterTest {
    private static final int ROUNDS = 4;
    private static final int ACKNOWLEDGED_MIN = 30;
    private static final int ACKNOWLEDGED_SPREAD = 400;
    private static final long DELETED = -1;

    @TempDir Path temporary;

    @Test
    void searchesAndRowsAgreeAfterEachKill() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime() % 1_000);
        Random random = new Random(seed);
        Map<String, Long> acknowledged = new HashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            int count = ACKNOWLEDGED_MIN + random.nextInt(ACKNOWLEDGED_SPREAD);
            writeAndKill(seed + round, count, acknowledged);
            check(acknowledged, "seed " + seed + " round " + round);
        }
    }

    private void writeAndKill(long seed, int count, Map<String, Long> acknowledged)
            throws IOException, InterruptedException {
        Process writer =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                CrashWriter.class.getName(),
                                temporary.resolve("data").toString(),
                                temporary.resolve("copies").toString(),
                                Long.toString(seed))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try (BufferedReader lines = writer.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            for (int i = 0; i < count && line != null; i++) {
                record(line, acknowledged);
                line = lines.readLine();
            }
            assertThat(line).as("the writer runs until it is killed").isNotNull();
            // The handle leaves the stream open: what was printed before the kill counts.
            writer.toHandle().destroyForcibly();
            while (line != null) {
                record(line, acknowledged);
                line = lines.readLine();
            }
        }
        writer.waitFor();
    }

    private static void record(String line, Map<String, Long> acknowledged) {
        String[] parts = line.split(" ", -1);
        if (parts.length == 2 && !parts[1].isEmpty()) {
            acknowledged.put(parts[0], Long.parseLong(parts[1]));
        }
    }

    private void check(Map<String, Long> acknowledged, String as) {
        try (KeyValueStore store = RocksStore.open(temporary.resolve("data"));
                Searches searches = new Searches(store, temporary.resolve("copies"))) {
            Map<String, Double> rows = new TreeMap<>();
            String start = "";
            List<SearchDocument> page;
            do {
                page =
                        searches.service.documents(
                                Searches.PROJECT, Searches.INDEX, start, start.isEmpty(), 1_000);
                for (SearchDocument document : page) {
                    rows.put(document.id(), version(document));
                    start = document.id();
                }
            } while (page.size() == 1_000);
            Map<String, Double> found = new TreeMap<>();
            searches.search(Searches.request("word", 1_000))
                    .hits()
                    .forEach(hit -> found.put(hit.document().id(), version(hit.document())));
            assertThat(found).as(as).isEqualTo(rows);
            // A line cut by the kill, or a write in progress, may have changed one id per thread.
            long changed =
                    acknowledged.entrySet().stream()
                            .filter(entry -> !matches(entry.getValue(), rows.get(entry.getKey())))
                            .count();
            assertThat(changed).as(as).isLessThanOrEqualTo(CrashWriter.THREADS);
            acknowledged.clear();
            rows.forEach((id, version) -> acknowledged.put(id, version.longValue()));
        }
    }

    private static boolean matches(long acknowledged, @Nullable Double row) {
        return acknowledged == DELETED
                ? row == null
                : row != null && row == acknowledged % 1_000_000_000;
    }

    private static double version(SearchDocument document) {
        SearchField field = document.first("version", SearchFieldType.NUMBER::equals);
        return field != null && field.value() instanceof FieldValue.Numeric(double number)
                ? number
                : -1;
    }
}
