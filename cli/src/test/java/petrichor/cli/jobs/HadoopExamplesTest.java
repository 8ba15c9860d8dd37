package petrichor.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.cli.Petrichor;
import petrichor.jobs.service.Backends;

/**
 * Runs all programs of Hadoop's own examples, unmodified, with Hadoop's local runner and with
 * {@code job run} in every execution mode. Exit status, files and figures on standard output must
 * be the same.
 */
@Tag("slow")
@Timeout(2400)
final class HadoopExamplesTest {
    private static final String DRIVER = "org.apache.hadoop.examples.ExampleDriver";
    private static final long PROGRAM_MAX_S = 240;
    private static final List<String> JARS = List.of("hadoop-mapreduce-examples-", "hsqldb-");
    private static final String TEXT = "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat";
    private static final String PAIRS =
            "org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat";

    private static final String PUZZLE =
            """
            8 5 ? 3 9 ? ? ? ?
            ? ? 2 ? ? ? ? ? ?
            ? ? 6 ? 1 ? ? ? 2
            ? ? 4 ? ? 3 ? 5 9
            ? ? 8 9 ? 1 4 ? ?
            3 2 ? 4 ? ? 8 ? ?
            9 ? ? ? 8 ? 5 ? ?
            ? ? ? ? ? ? 2 ? ?
            ? ? ? ? 4 5 ? 7 8
            """;

    private static final List<String> JAVA_FLAGS =
            List.of(
                    "--add-opens",
                    "java.base/java.lang=ALL-UNNAMED",
                    "--add-opens",
                    "java.base/java.util=ALL-UNNAMED",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-XX:TieredStopAtLevel=1",
                    "-Xmx768m");

    /** Execution modes of {@code job run}. */
    enum Mode {
        THREADS("--local"),
        PROCESSES("--workers 2"),
        LEASED("--cloud local --machine-type small:1:320:0.10 --machines 2"),
        FLINK("--backend flink");

        private final String options;

        Mode(String options) {
            this.options = options;
        }
    }

    /** Programs with their arguments; {@code =} marks those whose results are random or empty. */
    private static final List<String> PROGRAMS =
            List.of(
                    "wordcount in wordcount",
                    "wordmean in wordmean",
                    "wordmedian in wordmedian",
                    "wordstandarddeviation in wordstandarddeviation",
                    "grep in grep w[0-9]+",
                    "pi 3 500",
                    "secondarysort pairs secondarysort",
                    "multifilewc in multifilewc",
                    "aggregatewordcount in aggregatewordcount 2 textinputformat",
                    "aggregatewordhist in aggregatewordhist 2 textinputformat",
                    "sudoku puzzle",
                    "teragen -D mapreduce.job.maps=1 2000 teragen",
                    "terasort -D mapreduce.job.reduces=2 teragen terasort",
                    "teravalidate terasort teravalidate",
                    "randomtextwriter -D mapreduce.randomtextwriter.totalbytes=50000 -outFormat "
                            + TEXT
                            + " =text",
                    "randomwriter -D mapreduce.randomwriter.totalbytes=50000 =bytes",
                    "sort -r 2 -inFormat "
                            + PAIRS
                            + " -outFormat "
                            + TEXT
                            + " -outKey org.apache.hadoop.io.Text -outValue"
                            + " org.apache.hadoop.io.Text pairs sort",
                    "join -r 1 -inFormat "
                            + PAIRS
                            + " -outFormat "
                            + TEXT
                            + " -outKey org.apache.hadoop.io.Text -joinOp inner sort sort join",
                    "bbp 1 20 2 bbp",
                    "distbbp 20 2 4 4 x distbbp =distbbp-out",
                    "pentomino -depth 2 -width 5 -height 12 pentomino",
                    "dbcount",
                    "nosuchprogram");

    @TempDir private static Path folder;

    private static Path jar;
    private static Path theirs;
    private static final Map<String, Ended> expected = new LinkedHashMap<>();

    private record Ended(int status, Map<String, String> files, List<String> said) {}

    /** Hadoop's local runner uses one map even if a program requests several. */
    @BeforeAll
    static void runUnderHadoop() throws Exception {
        jar = jar();
        theirs = place("theirs");
        Path site = Files.createDirectory(folder.resolve("site"));
        Files.writeString(
                site.resolve("mapred-site.xml"),
                "<configuration>"
                        + property("mapreduce.framework.name", "local")
                        + property(
                                "yarn.app.mapreduce.am.staging-dir.erasurecoding.enabled", "true")
                        + property("hadoop.tmp.dir", folder.resolve("tmp").toString())
                        + "</configuration>");
        for (String line : PROGRAMS) {
            List<String> command =
                    new ArrayList<>(List.of("-cp", site + File.pathSeparator + all(), DRIVER));
            command.addAll(words(line));
            expected.put(line, run(theirs, words(line).getFirst(), command));
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void everyProgramHasTheResultsOfHadoop(Mode mode) throws Exception {
        Path ours = place(mode.name());
        SoftAssertions all = new SoftAssertions();
        for (String line : PROGRAMS) {
            Ended wanted = Objects.requireNonNull(expected.get(line));
            Ended got = run(ours, words(line).getFirst(), command(mode, words(line)));
            all.assertThat(got.status())
                    .as("%s: %s", line, errors(ours, line))
                    .isEqualTo(wanted.status());
            if (!line.contains(" =")) {
                all.assertThat(got.files()).as("files of %s", line).isEqualTo(wanted.files());
                all.assertThat(got.said()).as("output of %s", line).isEqualTo(wanted.said());
            }
        }
        all.assertAll();
    }

    private static List<String> command(Mode mode, List<String> program) {
        List<String> command = new ArrayList<>();
        if (mode == Mode.FLINK) {
            Path backends =
                    Path.of(System.getProperty(Backends.FOLDER_PROPERTY, "target/backends"));
            assertThat(backends.resolve("flink"))
                    .as("Flink next to the program: build the module jobs/hosts/flink first")
                    .isDirectory();
            command.add("-D" + Backends.FOLDER_PROPERTY + "=" + backends.toAbsolutePath());
        }
        command.addAll(List.of("-cp", withoutExamples(), Petrichor.class.getName(), "job", "run"));
        command.addAll(List.of(mode.options.split(" ", -1)));
        if (mode == Mode.LEASED) {
            command.addAll(List.of("--cloud-folder", folder.resolve("cloud").toString()));
        }
        command.addAll(List.of("-c", DRIVER, jar.toString()));
        command.addAll(program);
        return command;
    }

    private static List<String> words(String line) {
        return Stream.of(line.split(" ", -1))
                .map(word -> word.startsWith("=") ? word.substring(1) : word)
                .toList();
    }

    private static String property(String name, String value) {
        return "<property><name>" + name + "</name><value>" + value + "</value></property>";
    }

    /** A folder with the programs' inputs, identical in every run. */
    private static Path place(String name) throws IOException {
        Path place = Files.createDirectory(folder.resolve(name));
        Random random = new Random(7);
        for (String file : List.of("a.txt", "b.txt")) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 5_000; i++) {
                text.append('w').append(random.nextInt(300)).append(i % 7 == 6 ? '\n' : ' ');
            }
            Path in = Files.createDirectories(place.resolve("in"));
            Files.writeString(in.resolve(file), text);
        }
        StringBuilder pairs = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            pairs.append(i * 31 % 97).append(' ').append(i).append('\n');
        }
        Files.writeString(Files.createDirectory(place.resolve("pairs")).resolve("pairs"), pairs);
        Files.writeString(place.resolve("puzzle"), PUZZLE);
        return place;
    }

    private static String all() {
        return System.getProperty("java.class.path");
    }

    private static boolean isOfExamples(String entry) {
        String name = Path.of(entry).getFileName().toString();
        return JARS.stream().anyMatch(name::startsWith);
    }

    private static String withoutExamples() {
        return Stream.of(all().split(File.pathSeparator))
                .filter(entry -> !isOfExamples(entry))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * A jar with the examples and their dependencies other than Hadoop, as users would build it.
     */
    private static Path jar() throws IOException {
        Path jar = folder.resolve("examples.jar");
        Set<String> known = new HashSet<>();
        List<String> parts =
                Stream.of(all().split(File.pathSeparator))
                        .filter(HadoopExamplesTest::isOfExamples)
                        .sorted()
                        .toList();
        assertThat(parts).hasSize(JARS.size());
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream all = new JarOutputStream(out)) {
            for (String part : parts) {
                try (JarFile from = new JarFile(part)) {
                    for (JarEntry entry : from.stream().toList()) {
                        boolean signs = entry.getName().matches("META-INF/.*\\.(SF|DSA|RSA)");
                        if (!signs && known.add(entry.getName())) {
                            all.putNextEntry(new JarEntry(entry.getName()));
                            from.getInputStream(entry).transferTo(all);
                            all.closeEntry();
                        }
                    }
                }
            }
        }
        return jar;
    }

    private static Ended run(Path place, String name, List<String> rest) throws Exception {
        Path out = said(place, name, "out");
        Path err = said(place, name, "err");
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(JAVA_FLAGS);
        command.addAll(rest);
        Process process =
                new ProcessBuilder(command)
                        .directory(place.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
        if (!process.waitFor(PROGRAM_MAX_S, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException(name + " does not end: " + Files.readString(err));
        }
        return new Ended(process.exitValue(), files(place), said(out));
    }

    private static Path said(Path place, String name, String stream) {
        return folder.resolve(place.getFileName() + "-" + name + "." + stream);
    }

    private static String errors(Path place, String line) throws IOException {
        String all = Files.readString(said(place, words(line).getFirst(), "err"));
        return all.substring(Math.max(0, all.length() - 2000));
    }

    /** Sorted lines of the results, because equal keys may have any order. */
    private static Map<String, String> files(Path place) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> files = Files.walk(place)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = place.relativize(file).toString();
                boolean byChance =
                        name.endsWith(".crc")
                                || name.startsWith("text/")
                                || name.startsWith("bytes/")
                                || name.startsWith("distbbp");
                if (!byChance) {
                    String all = Files.readString(file, StandardCharsets.ISO_8859_1);
                    texts.put(name, all.lines().sorted().collect(Collectors.joining("\n")));
                }
            }
        }
        return texts;
    }

    /** Without lines that contain times or paths. */
    private static List<String> said(Path out) throws IOException {
        try (Stream<String> lines = Files.lines(out, StandardCharsets.UTF_8)) {
            return lines.filter(line -> !line.matches(".*(second|ms\\b|milli|Time|\\d{4}|:/).*"))
                    // Traces of the database server of dbcount.
                    .filter(line -> !line.startsWith("[Server@"))
                    .filter(line -> !line.matches("(?i).*(took|ended|started|sampling|splits).*"))
                    .toList();
        }
    }
}
