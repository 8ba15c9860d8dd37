package petrichor.jobs.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import petrichor.examples.jobs.Examples;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.Jobs;

/** The unmodified examples give the same results in this process and on Flink. */
@ExtendWith(OneFlink.class)
final class ExamplesTest {
    private static final String SEED = "seed";
    private static final String FLINK = "flink";
    private static final List<String> BACKENDS = List.of("here", FLINK);

    @TempDir Path folder;

    private final FlinkRuntime flink;
    private final Random random;
    private final long seed;

    ExamplesTest(OneFlink flink) {
        this.flink = flink.runtime();
        this.seed = Long.getLong(SEED, new Random().nextInt(1_000_000));
        this.random = new Random(seed);
    }

    @Test
    void wordCount() throws IOException {
        lines("text", 20_000, _ -> words(8));
        givesTheSame("word-count", "text", "result");
    }

    @Test
    void teraSort() throws IOException {
        records("records", 30_000);
        givesTheSame("tera-sort", "records", "result");
    }

    /** Its tasks terminate early when enough records have left the sort. */
    @Test
    void smallestAverage() throws IOException {
        records("records", 30_000);
        givesTheSame("smallest-average", "records", "result", "1000");
    }

    @Test
    void triangles() throws IOException {
        lines("links", 3_000, i -> i == 0 ? "from,to" : "n" + some(200) + ",n" + some(200));
        givesTheSame("triangles", "links", "result");
    }

    @Test
    void pageRank() throws IOException {
        lines("links", 1_000, i -> i == 0 ? "from,to" : "n" + some(100) + ",n" + some(100));
        givesTheSame("page-rank", "links", "result");
    }

    @Test
    void kMeans() throws IOException {
        lines("points", 2_000, i -> i == 0 ? "point,x,y" : i + "," + some(100) + "," + some(100));
        givesTheSame("k-means", "points", "result", "3");
    }

    @Test
    void theThirdAndTheTenthQueryOfTpch() throws IOException {
        tables();
        givesTheSame("tpch-q3", "", "q3");
        givesTheSame("tpch-q10", "", "q10");
    }

    /** Queries over the files of both compare their content. */
    @Test
    void theTablesOfTpchAsParquet() throws IOException {
        tables();
        for (String backend : BACKENDS) {
            run(backend, "tpch-parquet", folder.toString(), parquet(backend).toString());
        }
        for (String query : List.of("tpch-q3", "tpch-q10")) {
            List<List<String>> results = new ArrayList<>();
            for (String backend : BACKENDS) {
                Path result = folder.resolve(query + "-of-" + backend);
                run("here", query, parquet(backend).toString(), result.toString());
                results.add(read(result));
            }
            same(results);
        }
    }

    private Path parquet(String backend) {
        return folder.resolve("parquet-" + backend);
    }

    private void givesTheSame(String example, String from, String to, String... more)
            throws IOException {
        List<List<String>> results = new ArrayList<>();
        for (String backend : BACKENDS) {
            Path result = folder.resolve(to + "-" + backend);
            List<String> words = new ArrayList<>();
            words.addAll(List.of(example, folder.resolve(from).toString(), result.toString()));
            words.addAll(List.of(more));
            run(backend, words.toArray(new String[0]));
            results.add(read(result));
        }
        same(results);
    }

    private void run(String backend, String... words) {
        Jobs jobs = Jobs.local().with(EngineOptions.ofThisProcess().withSpillFolder(folder));
        (backend.equals(FLINK) ? jobs.with(flink) : jobs)
                .run(new Examples().plan(Arguments.of(List.of(words))));
    }

    private void same(List<List<String>> results) {
        assertThat(results.getFirst()).as("-D%s=%d", SEED, seed).isNotEmpty();
        assertThat(results.getLast())
                .as("-D%s=%d", SEED, seed)
                .usingElementComparator(ExamplesTest::compare)
                .containsExactlyElementsOf(results.getFirst());
    }

    private static List<String> read(Path result) throws IOException {
        if (!Files.isDirectory(result)) {
            return Files.readAllLines(result, StandardCharsets.ISO_8859_1);
        }
        List<String> lines = new ArrayList<>();
        try (Stream<Path> parts = Files.list(result)) {
            for (Path part : parts.sorted().toList()) {
                lines.addAll(Files.readAllLines(part, StandardCharsets.ISO_8859_1));
            }
        }
        return lines;
    }

    /** Sums of floating-point numbers depend slightly on the order of addition. */
    private static int compare(String a, String b) {
        String[] left = a.split(",", -1);
        String[] right = b.split(",", -1);
        boolean alike = left.length == right.length;
        for (int i = 0; i < left.length && alike; i++) {
            alike = left[i].equals(right[i]) || near(left[i], right[i]);
        }
        return alike ? 0 : a.compareTo(b);
    }

    private static boolean near(String a, String b) {
        try {
            double one = Double.parseDouble(a);
            double other = Double.parseDouble(b);
            return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one));
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private int some(int below) {
        return random.nextInt(below);
    }

    private String words(int count) {
        return String.join(
                " ", IntStream.range(0, count).mapToObj(_ -> "word" + some(3_000)).toList());
    }

    private void lines(String name, int count, IntFunction<String> line) throws IOException {
        Files.write(folder.resolve(name), IntStream.range(0, count).mapToObj(line).toList());
    }

    private void records(String name, int count) throws IOException {
        byte[] all = new byte[count * 100];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) (i % 100 == 98 ? '\r' : i % 100 == 99 ? '\n' : ' ' + some(95));
        }
        Files.write(folder.resolve(name), all);
    }

    private void tables() throws IOException {
        String[] segments = {"BUILDING", "MACHINERY"};
        lines("nation.tbl", 25, i -> i + "|NATION " + i + "|1|c|");
        lines(
                "customer.tbl",
                300,
                i ->
                        i
                                + "|Customer "
                                + i
                                + "|street "
                                + i
                                + "|"
                                + some(25)
                                + "|tel "
                                + i
                                + "|"
                                + some(9_999)
                                + "|"
                                + segments[some(2)]
                                + "|none|");
        lines(
                "orders.tbl",
                2_000,
                i -> i + "|" + some(300) + "|O|1|" + day() + "|1-URGENT|clerk|0|none|");
        lines(
                "lineitem.tbl",
                8_000,
                _ ->
                        some(2_000)
                                + "|1|1|1|1|"
                                + some(10_000)
                                + "|0.25|0|"
                                + (some(2) == 0 ? "R" : "N")
                                + "|O|"
                                + day()
                                + "|1995-01-01|1995-01-01|none|AIR|none|");
    }

    private String day() {
        return "199%d-%02d-%02d".formatted(3 + some(3), 1 + some(12), 1 + some(28));
    }
}
