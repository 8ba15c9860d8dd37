package petrichor.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every program of Hadoop's own examples, unchanged, by Hadoop's local runner and by {@code job
 * run}: the same exit status, the same files, the same figures on standard output.
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

    /** Their arguments; {@code =} marks those of which the results hold chance, or nothing. */
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
                    "teragen -D mapreduce.job.maps=2 2000 teragen",
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

    @TempDir private Path folder;

    private record Ended(int status, Map<String, String> files, List<String> said) {}

    @Test
    void everyProgramDoesHereWhatItDoesUnderHadoop() throws Exception {
        Path jar = jar();
        Path theirs = place("theirs");
        Path ours = place("ours");
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
            List<String> program = new ArrayList<>();
            for (String word : line.split(" ", -1)) {
                program.add(word.startsWith("=") ? word.substring(1) : word);
            }
            boolean byChance = line.contains(" =");
            List<String> one = new ArrayList<>(List.of("-cp", site + File.pathSeparator + all()));
            one.add(DRIVER);
            one.addAll(program);
            Ended expected = run(theirs, program.getFirst(), one);
            List<String> other = new ArrayList<>(List.of("-cp", withoutExamples()));
            other.addAll(
                    List.of(Petrichor.class.getName(), "job", "run", "-c", DRIVER, jar.toString()));
            other.addAll(program);
            Ended got = run(ours, program.getFirst(), other);
            assertThat(got.status()).as("%s in %s", line, ours).isEqualTo(expected.status());
            if (!byChance) {
                assertThat(got.files()).as("%s", line).isEqualTo(expected.files());
                assertThat(got.said()).as("%s", line).isEqualTo(expected.said());
            }
        }
    }

    private static String property(String name, String value) {
        return "<property><name>" + name + "</name><value>" + value + "</value></property>";
    }

    /** A folder with the programs' inputs, the same each time. */
    private Path place(String name) throws IOException {
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

    /** The examples, with what they need beside Hadoop, as their users would pack them. */
    private Path jar() throws IOException {
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

    private Ended run(Path place, String name, List<String> rest) throws Exception {
        Path out = folder.resolve(place.getFileName() + "-" + name + ".out");
        Path err = folder.resolve(place.getFileName() + "-" + name + ".err");
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(
                List.of(
                        "--add-opens",
                        "java.base/java.lang=ALL-UNNAMED",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx768m"));
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

    /** Lines of results; equal keys of one come in any order, and so do they. */
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

    /** Without what tells the time or the place. */
    private static List<String> said(Path out) throws IOException {
        try (Stream<String> lines = Files.lines(out, StandardCharsets.UTF_8)) {
            return lines.filter(line -> !line.matches(".*(second|ms\\b|milli|Time|\\d{4}|:/).*"))
                    .filter(line -> !line.matches("(?i).*(took|ended|started|sampling|splits).*"))
                    .toList();
        }
    }
}
