package petrichor.cli.sql;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** What a statement is, by its first words. */
record StatementKind(List<String> words) {
    private static final Pattern COMMENT =
            Pattern.compile("\\A(\\s+|--[^\n]*(\n|\\z)|/\\*.*?\\*/)", Pattern.DOTALL);
    private static final Pattern CHANGE =
            Pattern.compile("\\b(INSERT|UPDATE|DELETE|MERGE)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern FROM_STDIN =
            Pattern.compile("\\bFROM\\s+STDIN\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern TO_STDOUT =
            Pattern.compile("\\bTO\\s+STDOUT\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern PAST =
            Pattern.compile("\\bAS\\s+OF\\s+SYSTEM\\s+TIME\\b", Pattern.CASE_INSENSITIVE);
    private static final Set<String> TWO_WORDS = Set.of("CREATE", "ALTER", "DROP");
    private static final Set<String> COUNTED = Set.of("UPDATE", "DELETE", "MERGE");
    private static final int WORDS = 3;

    static StatementKind of(String statement) {
        String text = statement;
        for (var comment = COMMENT.matcher(text); comment.find(); comment = COMMENT.matcher(text)) {
            text = text.substring(comment.end());
        }
        return new StatementKind(
                Arrays.stream(text.split("[^A-Za-z_]+", WORDS + 1))
                        .limit(WORDS)
                        .map(word -> word.toUpperCase(Locale.ROOT))
                        .toList());
    }

    private String first() {
        return words.isEmpty() ? "" : words.getFirst();
    }

    /** Whether it only reads, so that its rows can arrive in pages of a transaction. */
    boolean isLongQuery(String statement) {
        return switch (first()) {
            case "SELECT", "VALUES", "TABLE", "WITH" ->
                    !CHANGE.matcher(statement).find() && !PAST.matcher(statement).find();
            default -> false;
        };
    }

    boolean copiesFromInput(String statement) {
        return first().equals("COPY") && FROM_STDIN.matcher(statement).find();
    }

    boolean copiesToOutput(String statement) {
        return first().equals("COPY") && TO_STDOUT.matcher(statement).find();
    }

    boolean isExplain() {
        return first().equals("EXPLAIN");
    }

    /** As PostgreSQL reports it: {@code INSERT 0 3}, {@code CREATE TABLE}. */
    String tag(long count) {
        if (first().equals("INSERT")) {
            return "INSERT 0 " + count;
        }
        if (COUNTED.contains(first())) {
            return first() + " " + count;
        }
        if (first().equals("END")) {
            return "COMMIT";
        }
        return TWO_WORDS.contains(first()) && words.size() > 1
                ? first() + " " + words.get(1)
                : first();
    }
}
