package petrichor.testing.dialect;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs scripts with {@code psql}, one process per script, and returns what each step printed.
 *
 * @param url of the database
 * @param folder for temporary files; the caller deletes it
 * @param sources folder of PostgreSQL's {@code src/test/regress}
 * @param limit of a script
 */
record PsqlSession(String url, Path folder, Path sources, Duration limit) {
    /**
     * What a step printed.
     *
     * @param state SQLSTATE of its first error; empty if it had none
     */
    record Outcome(List<String> rows, String state) {
        static final Outcome NONE = new Outcome(List.of(), "");

        Outcome {
            rows = List.copyOf(rows);
        }
    }

    private static final String MARK = "@@step";
    private static final int STATEMENT_SECONDS_MAX = 5;

    private static final Pattern ERROR =
            Pattern.compile("(?m)^(?:psql:.*? )?(?:\\\\copy: )?(?:ERROR|FATAL):\\s+(\\w{5})");

    /** An outcome per step; steps that did not run have none. */
    Map<Integer, Outcome> run(RegressionScript script) throws IOException, InterruptedException {
        Path input = folder.resolve("script.sql");
        Path output = folder.resolve("output");
        Path errors = folder.resolve("errors");
        Files.writeString(input, text(script));
        Process psql =
                new ProcessBuilder(
                                "psql",
                                "--no-psqlrc",
                                "--quiet",
                                "--no-align",
                                "--tuples-only",
                                "--set=VERBOSITY=sqlstate",
                                "--dbname=" + url)
                        .redirectInput(input.toFile())
                        .redirectOutput(output.toFile())
                        .redirectError(errors.toFile())
                        .start();
        try {
            boolean _ = psql.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            psql.destroyForcibly();
            psql.onExit().join();
        }
        Map<Integer, String> printed = parts(read(output));
        Map<Integer, String> failed = parts(read(errors));
        Map<Integer, Outcome> outcomes = new HashMap<>();
        printed.forEach(
                (step, rows) -> {
                    Matcher error = ERROR.matcher(failed.getOrDefault(step, ""));
                    outcomes.put(
                            step,
                            new Outcome(
                                    rows.isEmpty() ? List.of() : rows.lines().toList(),
                                    error.find() ? error.group(1) : ""));
                });
        return outcomes;
    }

    private static String read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    private String text(RegressionScript script) throws IOException {
        StringBuilder text = new StringBuilder();
        text.append("SET statement_timeout = '").append(STATEMENT_SECONDS_MAX).append("s';\n");
        mark(text, -1);
        int number = 0;
        for (RegressionScript.Step step : script.steps()) {
            text.append(text(step, number)).append('\n');
            mark(text, number);
            number++;
        }
        return text.toString();
    }

    private static void mark(StringBuilder text, int step) {
        text.append("\\echo ").append(MARK).append(step).append('\n');
        text.append("\\warn ").append(MARK).append(step).append('\n');
    }

    private String text(RegressionScript.Step step, int number) throws IOException {
        if (!step.file().isEmpty()) {
            return RegressionScript.copied(step, sources.resolve(step.file().substring(1)));
        }
        boolean stdin = step.text().matches("(?is)\\s*copy\\b.*\\bfrom\\s+stdin\\b.*");
        if (!stdin) {
            return step.text();
        }
        Path data = folder.resolve("data" + number);
        Files.writeString(data, step.data());
        return RegressionScript.copied(step, data);
    }

    /** What was printed before each mark. */
    private static Map<Integer, String> parts(String printed) {
        Map<Integer, String> parts = new HashMap<>();
        List<String> lines = new ArrayList<>();
        for (String line : printed.lines().toList()) {
            int mark = line.indexOf(MARK);
            if (mark < 0) {
                lines.add(line);
                continue;
            }
            if (mark > 0) {
                lines.add(line.substring(0, mark));
            }
            parts.put(
                    Integer.parseInt(line.substring(mark + MARK.length()).strip()),
                    String.join("\n", lines));
            lines.clear();
        }
        return parts;
    }
}
