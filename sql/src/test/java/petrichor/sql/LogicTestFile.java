package petrichor.sql;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a file of sqllogictest: statements, and queries with their expected results. */
final class LogicTestFile {
    /**
     * @param failures the first ones, with their lines
     */
    record Outcome(int passed, int failed, List<String> failures) {}

    private static final int FAILURES_SHOWN = 20;

    /** What executes statements. */
    interface Engine {
        /** Empty if it succeeded, otherwise the error. */
        String execute(String text);

        /** Fails with {@link RefusedException}. */
        List<List<@Nullable Object>> query(String text);
    }

    /** A statement failed. */
    static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RefusedException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private final Engine engine;
    private final List<String> lines;
    private final List<String> failures = new ArrayList<>();
    private int at;
    private int passed;
    private int failed;

    LogicTestFile(Engine engine, List<String> lines) {
        this.engine = engine;
        this.lines = lines;
    }

    Outcome run() throws NoSuchAlgorithmException {
        boolean skip = false;
        while (at < lines.size()) {
            String line = lines.get(at).strip();
            String[] words = line.split("\\s+");
            switch (words[0]) {
                case "skipif" -> {
                    skip |= words[1].equals("petrichor") || words[1].equals("postgresql");
                    at++;
                }
                case "onlyif" -> {
                    skip |= !words[1].equals("petrichor") && !words[1].equals("postgresql");
                    at++;
                }
                case "halt" -> {
                    if (!skip) {
                        at = lines.size();
                    }
                    skip = false;
                    at++;
                }
                case "statement" -> {
                    statement(words[1].equals("ok"), skip);
                    skip = false;
                }
                case "query" -> {
                    query(words, skip);
                    skip = false;
                }
                default -> at++;
            }
        }
        return new Outcome(passed, failed, List.copyOf(failures));
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        at++;
        while (at < lines.size()
                && !lines.get(at).isBlank()
                && !lines.get(at).strip().equals("----")) {
            text.append(lines.get(at)).append('\n');
            at++;
        }
        return text.toString();
    }

    private void statement(boolean succeeds, boolean skip) {
        int line = at + 1;
        String text = text();
        if (skip) {
            return;
        }
        String error = engine.execute(text);
        record(line, error.isEmpty() == succeeds, text + ": " + error);
    }

    private void query(String[] words, boolean skip) throws NoSuchAlgorithmException {
        int line = at + 1;
        String text = text();
        at++;
        List<String> expected = new ArrayList<>();
        while (at < lines.size() && !lines.get(at).isBlank()) {
            expected.add(lines.get(at));
            at++;
        }
        if (skip) {
            return;
        }
        try {
            List<String> actual = values(text, words[1], words.length > 2 ? words[2] : "nosort");
            boolean hashed =
                    expected.size() == 1 && expected.getFirst().contains(" values hashing to ");
            boolean same =
                    hashed ? hash(actual).equals(expected.getFirst()) : actual.equals(expected);
            record(line, same, text + ": " + (hashed ? hash(actual) : actual.toString()));
        } catch (RefusedException refused) {
            record(line, false, text + ": " + refused.getMessage());
        }
    }

    private List<String> values(String text, String types, String order) {
        List<List<String>> rows = new ArrayList<>();
        for (List<@Nullable Object> found : engine.query(text)) {
            List<String> row = new ArrayList<>();
            for (int i = 0; i < found.size(); i++) {
                row.add(shown(found.get(i), i < types.length() ? types.charAt(i) : 'T'));
            }
            rows.add(row);
        }
        if (order.equals("rowsort")) {
            rows.sort(
                    (left, right) -> {
                        for (int i = 0; i < left.size(); i++) {
                            int compared = left.get(i).compareTo(right.get(i));
                            if (compared != 0) {
                                return compared;
                            }
                        }
                        return 0;
                    });
        }
        List<String> values = new ArrayList<>();
        rows.forEach(values::addAll);
        if (order.equals("valuesort")) {
            values.sort(Comparator.naturalOrder());
        }
        return Collections.unmodifiableList(values);
    }

    private static String shown(@Nullable Object value, char type) {
        return switch (value) {
            case null -> "NULL";
            case Boolean truth -> truth ? "1" : "0";
            case Number number when type == 'I' ->
                    Long.toString(
                            new BigDecimal(number.toString())
                                    .setScale(0, RoundingMode.DOWN)
                                    .longValue());
            case Number number when type == 'R' ->
                    new BigDecimal(number.toString())
                            .setScale(3, RoundingMode.HALF_UP)
                            .toPlainString();
            default -> value.toString().isEmpty() ? "(empty)" : value.toString();
        };
    }

    private static String hash(List<String> values) throws NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("MD5");
        for (String value : values) {
            digest.update((value + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return values.size() + " values hashing to " + HexFormat.of().formatHex(digest.digest());
    }

    private void record(int line, boolean ok, String description) {
        if (ok) {
            passed++;
            return;
        }
        failed++;
        if (failures.size() < FAILURES_SHOWN) {
            failures.add("line " + line + ": " + description);
        }
    }
}
