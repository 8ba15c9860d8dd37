package petrichor.testing.dialect;

import com.google.gson.GsonBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What was compared.
 *
 * @param version of the PostgreSQL server
 * @param date of the run, such as 2026-11-28
 */
record DialectReport(String version, String date, List<ScriptResult> scripts) {
    /**
     * @param compared statements
     * @param same of them, those with the same rows or the same SQLSTATE
     * @param refused of the same ones, those that both servers refuse
     * @param differences of the others, the first ones
     */
    record ScriptResult(
            String name, int compared, int same, int refused, List<Difference> differences) {
        ScriptResult {
            differences = List.copyOf(differences);
        }

        private double share() {
            return compared == 0 ? 1 : (double) same / compared;
        }
    }

    /** A statement with different outcomes, both shortened. */
    record Difference(int line, String statement, String expected, String actual) {}

    private static final int TEXT_MAX = 300;

    DialectReport {
        scripts = List.copyOf(scripts);
    }

    static ScriptResult compare(
            String name,
            RegressionScript script,
            Map<Integer, PsqlSession.Outcome> expected,
            Map<Integer, PsqlSession.Outcome> actual,
            int differencesMax) {
        int compared = 0;
        int same = 0;
        int refused = 0;
        List<Difference> differences = new ArrayList<>();
        for (int i = 0; i < script.steps().size(); i++) {
            RegressionScript.Step step = script.steps().get(i);
            PsqlSession.Outcome theirs = expected.get(i);
            if (!step.compared() || theirs == null) {
                continue;
            }
            compared++;
            PsqlSession.Outcome ours = actual.get(i);
            if (ours != null && same(step, theirs, ours)) {
                same++;
                refused += theirs.state().isEmpty() ? 0 : 1;
            } else if (differences.size() < differencesMax) {
                differences.add(
                        new Difference(
                                step.line(),
                                shortened(step.text()),
                                shown(theirs),
                                ours == null ? "did not run" : shown(ours)));
            }
        }
        return new ScriptResult(name, compared, same, refused, differences);
    }

    static boolean same(
            RegressionScript.Step step, PsqlSession.Outcome theirs, PsqlSession.Outcome ours) {
        if (!theirs.state().equals(ours.state())) {
            return false;
        }
        return step.ordered()
                ? theirs.rows().equals(ours.rows())
                : theirs.rows().stream()
                        .sorted()
                        .toList()
                        .equals(ours.rows().stream().sorted().toList());
    }

    private static String shown(PsqlSession.Outcome outcome) {
        String rows = shortened(String.join(" ¦ ", outcome.rows()));
        return outcome.state().isEmpty() ? rows : "error " + outcome.state();
    }

    private static String shortened(String text) {
        String flat = text.replaceAll("\\s+", " ").strip();
        return flat.length() > TEXT_MAX ? flat.substring(0, TEXT_MAX) + "…" : flat;
    }

    private ScriptResult total() {
        return new ScriptResult(
                "all",
                scripts.stream().mapToInt(ScriptResult::compared).sum(),
                scripts.stream().mapToInt(ScriptResult::same).sum(),
                scripts.stream().mapToInt(ScriptResult::refused).sum(),
                List.of());
    }

    /** Rows of a table in Markdown. */
    String table() {
        StringBuilder table = new StringBuilder();
        table.append("| script | statements | same | of these refused by both | share |\n");
        table.append("|---|---:|---:|---:|---:|\n");
        List<ScriptResult> rows = new ArrayList<>(scripts);
        rows.add(total());
        for (ScriptResult row : rows) {
            table.append(
                    String.format(
                            Locale.ROOT,
                            "| %s | %,d | %,d | %,d | %.1f %% |%n",
                            row.name(),
                            row.compared(),
                            row.same(),
                            row.refused(),
                            100 * row.share()));
        }
        return table.toString();
    }

    String text() {
        StringBuilder text = new StringBuilder();
        for (ScriptResult script : scripts) {
            for (Difference found : script.differences()) {
                text.append(script.name())
                        .append(':')
                        .append(found.line())
                        .append(": ")
                        .append(found.statement())
                        .append("\n  PostgreSQL: ")
                        .append(found.expected())
                        .append("\n  Petrichor:  ")
                        .append(found.actual())
                        .append('\n');
            }
        }
        return text.append('\n').append(table()).toString();
    }

    String json() {
        return new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(this);
    }
}
