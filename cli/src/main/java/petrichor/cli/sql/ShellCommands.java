package petrichor.cli.sql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.cli.sql.ResultWriter.Format;

/** The commands of the shell, which start with a backslash; psql's where it has the same. */
final class ShellCommands {
    static final String HELP =
            """
            Statements end with a semicolon. Ctrl-C cancels the running one.

              \\d             list tables, views and sequences
              \\d NAME        columns, indexes and constraints; * and ? are wildcards
              \\dt \\dv \\ds \\di  list tables, views, sequences, indexes
              \\dn            list schemas
              \\l             list databases
              \\c [DATABASE]  connect, also again
              \\x             one line per column, or back
              \\timing        show how long statements take, or stop it
              \\f FORMAT      table, csv, json or jsonl
              \\i FILE        run a file
              \\o [FILE]      write results to a file, or to the terminal again
              \\copy …        COPY from or to a file of this machine
              \\e             edit the last statement, then run it
              \\set [N V]     set a variable: :N, :'N' a literal, :"N" an identifier
              \\unset N       remove a variable
              \\echo TEXT     print a text
              \\g \\gx         run the statement; \\gx with one line per column
              \\p \\r          print or drop the statement
              \\? \\q          this list; quit\
            """;

    /** For completion. */
    static final List<String> NAMES =
            List.of(
                    "\\d",
                    "\\dt",
                    "\\dv",
                    "\\ds",
                    "\\di",
                    "\\dn",
                    "\\l",
                    "\\c",
                    "\\x",
                    "\\timing",
                    "\\f",
                    "\\i",
                    "\\o",
                    "\\copy",
                    "\\e",
                    "\\set",
                    "\\unset",
                    "\\echo",
                    "\\g",
                    "\\gx",
                    "\\p",
                    "\\r",
                    "\\?",
                    "\\q");

    private static final Pattern COPY =
            Pattern.compile(
                    "(.+?)\\s+(FROM|TO)\\s+('(?:[^']|'')*'|\\S+)(.*)",
                    Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private final SqlShell shell;

    ShellCommands(SqlShell shell) {
        this.shell = shell;
    }

    void run(Statements.Command command, Statements statements, LineSource source)
            throws SQLException, IOException {
        Matcher words = Pattern.compile("\\\\(\\S+)\\s*(.*)").matcher(command.text());
        if (!words.matches()) {
            shell.refuse("a backslash without a command; \\? lists the commands", source);
            return;
        }
        String argument = words.group(2).replaceFirst(";\\s*$", "").strip();
        switch (words.group(1)) {
            case "q", "quit" -> shell.end();
            case "?", "h", "help" -> shell.out().println(HELP);
            case "d" -> describe(argument, source);
            case "dt" -> descriptions().list(Descriptions.tables(), argument);
            case "dv" -> descriptions().list(Descriptions.views(), argument);
            case "ds" -> descriptions().list(Descriptions.sequences(), argument);
            case "di" -> descriptions().list(Descriptions.indexes(), argument);
            case "dn" -> descriptions().schemas();
            case "l" ->
                    shell.runner()
                            .run(
                                    "SELECT datname AS \"Name\" FROM pg_catalog.pg_database ORDER"
                                            + " BY 1",
                                    shell.writer());
            case "c", "connect" -> shell.connect(argument);
            case "x" ->
                    shell.notes()
                            .println(
                                    shell.toggleExpanded()
                                            ? "One line per column."
                                            : "One line per row.");
            case "timing" ->
                    shell.notes()
                            .println(shell.toggleTiming() ? "Timing is on." : "Timing is off.");
            case "f" -> format(argument, source);
            case "i" -> include(argument);
            case "o" -> shell.output(unquoted(argument));
            case "copy" -> copy(argument, source);
            case "e" -> edit(command.statement(), source);
            case "set" -> set(argument);
            case "unset" -> shell.variables().remove(argument);
            case "echo" -> shell.out().println(argument);
            case "g" -> repeat(command.statement(), source);
            case "gx" -> {
                shell.toggleExpanded();
                repeat(command.statement(), source);
                shell.toggleExpanded();
            }
            case "p" -> shell.out().println(chosen(command.statement()));
            case "r" -> statements.clear();
            default ->
                    shell.refuse(
                            "there is no command \\" + words.group(1) + "; \\? lists the commands",
                            source);
        }
    }

    private Descriptions descriptions() {
        return new Descriptions(
                new Relations(shell.runner().connection()), shell.writer(), shell.out());
    }

    private void describe(String name, LineSource source) throws SQLException {
        if (name.isEmpty()) {
            descriptions().list(Descriptions.relations(), "");
        } else if (!descriptions().describe(name)) {
            shell.refuse(
                    "there is no table, view or sequence " + name + "; \\d lists them", source);
        }
    }

    private void format(String name, LineSource source) {
        Set<String> known = Set.of("table", "csv", "json", "jsonl");
        if (known.contains(name.toLowerCase(Locale.ROOT))) {
            shell.format(Format.valueOf(name.toUpperCase(Locale.ROOT)));
        } else {
            shell.refuse("\\f takes table, csv, json or jsonl, not \"" + name + "\"", source);
        }
    }

    private void include(String name) throws IOException {
        Path file = Path.of(unquoted(name));
        try (BufferedReader script = Files.newBufferedReader(file)) {
            shell.include(script, file.toString());
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read " + file, unreadable);
        }
    }

    private void set(String argument) {
        if (argument.isEmpty()) {
            shell.variables().forEach((name, value) -> shell.out().println(name + " = " + value));
            return;
        }
        String[] words = argument.split("\\s+", 2);
        shell.variables().put(words[0], words.length == 1 ? "" : unquoted(words[1]));
    }

    private String chosen(String statement) {
        return statement.isEmpty() ? shell.last() : statement;
    }

    private void repeat(String statement, LineSource source) throws IOException {
        String text = chosen(statement);
        if (text.isEmpty()) {
            shell.refuse("no statement has run yet", source);
        } else {
            shell.execute(text, source);
        }
    }

    private void copy(String argument, LineSource source) throws SQLException, IOException {
        Matcher parts = COPY.matcher(argument);
        if (!parts.matches()) {
            shell.refuse("write \\copy TABLE FROM 'FILE' or \\copy TABLE TO 'FILE'", source);
            return;
        }
        boolean from = parts.group(2).equalsIgnoreCase("FROM");
        String place = parts.group(3);
        String copy =
                "COPY " + parts.group(1) + (from ? " FROM STDIN" : " TO STDOUT") + parts.group(4);
        if (Set.of("stdin", "stdout").contains(place.toLowerCase(Locale.ROOT))) {
            shell.execute(copy, source);
            return;
        }
        Path file = Path.of(unquoted(place));
        long rows;
        if (from) {
            try (InputStream input = Files.newInputStream(file)) {
                rows = shell.runner().copyIn(copy, input);
            } catch (IOException unreadable) {
                throw FileProblem.of("cannot read " + file, unreadable);
            }
        } else {
            try (OutputStream output = Files.newOutputStream(file)) {
                rows = shell.runner().copyOut(copy, output);
            } catch (IOException unwritable) {
                throw FileProblem.of("cannot write " + file, unwritable);
            }
        }
        shell.writer().done("COPY " + rows);
    }

    /** Edits a statement in the editor of VISUAL or EDITOR, else vi. */
    private void edit(String statement, LineSource source) throws IOException {
        String editor = System.getenv("VISUAL");
        editor = editor == null ? System.getenv("EDITOR") : editor;
        Path file = Files.createTempFile("petrichor", ".sql");
        try {
            Files.writeString(file, chosen(statement) + ";\n");
            Process process =
                    new ProcessBuilder(
                                    "sh",
                                    "-c",
                                    (editor == null ? "vi" : editor) + " \"$1\"",
                                    "editor",
                                    file.toString())
                            .inheritIO()
                            .start();
            if (process.waitFor() != 0) {
                shell.refuse("the editor failed; nothing is run", source);
                return;
            }
            try (BufferedReader script = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                shell.include(script, "");
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw PetrichorException.invalid("the editor was interrupted");
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static String unquoted(String text) {
        return text.length() > 1 && text.startsWith("'") && text.endsWith("'")
                ? text.substring(1, text.length() - 1).replace("''", "'")
                : text;
    }
}
