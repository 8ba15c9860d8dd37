package petrichor.tuples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;
import petrichor.transactions.databases.RowDatabases;

/**
 * Kills a process with {@code kill -9} while it writes tuples and changes their placement: no
 * acknowledged write is lost, the change is completed by the next process, and catalog and rows
 * agree.
 */
final class KilledTuplesTest {
    @TempDir private Path folder;

    @Tag("slow")
    @Test
    void placementsSurviveAKill() throws IOException, InterruptedException {
        kill(1, "alone");
    }

    @Tag("slow")
    @Test
    void placementsSurviveFiftyKills() throws IOException, InterruptedException {
        kill(50, "alone");
    }

    @Test
    void ringsSurviveTwoKills() throws IOException, InterruptedException {
        kill(2, "ring");
    }

    @Tag("slow")
    @Test
    void ringsSurviveFiftyKills() throws IOException, InterruptedException {
        kill(50, "ring");
    }

    private void kill(int times, String kind) throws IOException, InterruptedException {
        Random random = new Random(times);
        Map<String, Integer> acknowledged = new HashMap<>();
        int changes = 0;
        for (int run = 0; run < times; run++) {
            changes += run(acknowledged, run, 200 + random.nextInt(500), kind);
            check(acknowledged);
        }
        assertThat(changes).as("switches and moves that were seen").isPositive();
    }

    /**
     * Runs a process until it has reported so many events; returns how often it changed layouts.
     */
    private int run(Map<String, Integer> acknowledged, int seed, int events, String kind)
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                CrashingTuples.class.getName(),
                                folder.toString(),
                                String.valueOf(seed),
                                kind)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        int seen = 0;
        int changes = 0;
        boolean killed = false;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", -1);
                if (words.length == 3 && words[0].equals("put") && words[2].matches("\\d+;")) {
                    String number = words[2].substring(0, words[2].length() - 1);
                    acknowledged.put(words[1], Integer.parseInt(number));
                } else if (words[0].equals("changed") || words[0].equals("moved")) {
                    changes++;
                }
                if (++seen >= events && !killed) {
                    // SIGKILL; reports that are already in the pipe are read afterwards.
                    process.toHandle().destroyForcibly();
                    killed = true;
                }
            }
        }
        assertThat(killed).as("the process ended by itself").isTrue();
        process.waitFor();
        return changes;
    }

    private void check(Map<String, Integer> acknowledged) {
        try (RingFolders stores = new RingFolders(folder)) {
            RowDatabases databases = stores.databases;
            TupleStore tuples = new TupleStore(databases.open("p"), new Random(1));
            checkReads(tuples, acknowledged);
            while (tuples.work()) {
                // Completes what the killed process began.
            }
            assertThat(tuples.collection("c").change()).isEmpty();
            checkReads(tuples, acknowledged);
            try (Snapshot snapshot = databases.open("p").snapshot()) {
                checkRows(snapshot);
            }
        }
    }

    private static List<Tuple> everything(TupleStore tuples, TagFilter filter) {
        List<Tuple> all = new ArrayList<>();
        TuplePage page = tuples.find("c", filter, new TupleStore.Paging.First(1_000, 0));
        all.addAll(page.tuples());
        while (page.continuation().isPresent()) {
            page =
                    tuples.find(
                            "c",
                            filter,
                            new TupleStore.Paging.Next(1_000, page.continuation().orElseThrow()));
            all.addAll(page.tuples());
        }
        return all;
    }

    private static void checkReads(TupleStore tuples, Map<String, Integer> acknowledged) {
        List<Tuple> all = everything(tuples, TagFilter.EVERYTHING);
        Map<String, Integer> stored = new HashMap<>();
        for (Tuple tuple : all) {
            Integer number = Integer.parseInt(new String(tuple.value(), UTF_8));
            assertThat(stored.put(tuple.key(), number)).as("copies of " + tuple.key()).isNull();
        }
        acknowledged.forEach(
                (key, number) ->
                        assertThat(stored.getOrDefault(key, 0)).isBetween(number, number + 1));
        acknowledged.putAll(stored);
        TagFilter tagged = new TagFilter(List.of(new TagCondition.Like("a", "*")), List.of());
        assertThat(everything(tuples, tagged)).containsExactlyInAnyOrderElementsOf(all);
    }

    private static void checkRows(Snapshot snapshot) {
        TupleLayout layout = new TupleCatalog().read(snapshot, "c").layout();
        Set<Bytes> expected = new HashSet<>();
        FoundTuples all =
                TupleReads.page(
                        snapshot,
                        layout,
                        AccessPath.ofAll(layout),
                        TagFilter.EVERYTHING,
                        null,
                        new PageSize(1_000_000, Long.MAX_VALUE, Integer.MAX_VALUE));
        for (Tuple tuple : all.tuples()) {
            byte[] prefix =
                    Places.find(snapshot, List.of(new Places.Ask(layout, tuple.key())))
                            .getFirst()
                            .prefix();
            if (prefix == null) {
                throw new AssertionError(tuple.key() + " is found by a scan, but not by its key");
            }
            TupleRows.rows(layout, tuple, prefix).forEach(row -> expected.add(Bytes.of(row.key())));
        }
        Set<Bytes> rows = new HashSet<>();
        try (RowCursor cursor =
                snapshot.scan(KeyRange.ofPrefix(new byte[] {TupleRows.TYPE}), Direction.FORWARD)) {
            while (cursor.next()) {
                if ("RKT".indexOf(cursor.key()[1]) >= 0) {
                    rows.add(Bytes.of(cursor.key()));
                }
            }
        }
        assertThat(rows).isEqualTo(expected);
    }
}
