package petrichor.cli.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.postgresql.core.TransactionState;
import petrichor.cli.sql.Relations.Relation;

/**
 * Completes keywords, the shell's commands, tables, and the columns of the tables that the
 * statement names. Within a transaction that has failed, only keywords. Confined to one thread.
 */
final class SqlCompleter implements Completer {
    private static final Set<String> BEFORE_TABLES =
            Set.of(
                    "FROM",
                    "JOIN",
                    "INTO",
                    "UPDATE",
                    "TABLE",
                    "REFERENCES",
                    "\\D",
                    "\\DT",
                    "\\COPY");
    private static final int TABLES_MAX = 20;

    private final SqlShell shell;

    SqlCompleter(SqlShell shell) {
        this.shell = shell;
    }

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        String word = line.word().substring(0, line.wordCursor());
        if (word.startsWith("\\")) {
            ShellCommands.NAMES.forEach(name -> candidates.add(new Candidate(name)));
            return;
        }
        String before =
                line.wordIndex() == 0
                        ? ""
                        : line.words().get(line.wordIndex() - 1).toUpperCase(Locale.ROOT);
        boolean lower = !word.isEmpty() && Character.isLowerCase(word.charAt(0));
        for (String name : names(before, line.line())) {
            candidates.add(new Candidate(name));
        }
        if (!BEFORE_TABLES.contains(before)) {
            for (String keyword : Keywords.COMPLETED) {
                candidates.add(new Candidate(lower ? keyword.toLowerCase(Locale.ROOT) : keyword));
            }
        }
    }

    private List<String> names(String before, String line) {
        if (shell.runner().transaction() == TransactionState.FAILED) {
            return List.of();
        }
        try {
            Relations relations = new Relations(shell.runner().connection());
            List<Relation> all = relations.all().stream().filter(one -> one.kind() != 'i').toList();
            List<String> names = new ArrayList<>();
            if (BEFORE_TABLES.contains(before)) {
                for (Relation one : all) {
                    names.add(one.schema().equals("public") ? shortName(one) : one.sql());
                }
                return names;
            }
            Set<String> words = Set.copyOf(Arrays.asList(line.split("[\\s(),;=<>]+")));
            List<Relation> used =
                    all.stream()
                            .filter(
                                    one ->
                                            words.contains(shortName(one))
                                                    || words.contains(one.sql()))
                            .limit(TABLES_MAX)
                            .toList();
            for (Relation one : used) {
                relations
                        .columns(one)
                        .forEach(column -> names.add(Relations.quoted(column.name())));
            }
            return names;
        } catch (SQLException noNames) {
            return List.of();
        }
    }

    private static String shortName(Relation one) {
        return Relations.quoted(one.name());
    }
}
