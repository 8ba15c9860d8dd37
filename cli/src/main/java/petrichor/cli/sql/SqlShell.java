package petrichor.cli.sql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.TransactionState;
import petrichor.base.PetrichorException;
import petrichor.cli.sql.LineSource.Purpose;
import petrichor.cli.sql.ResultWriter.Format;

/**
 * A shell for SQL: reads statements and commands, and runs one after the other. In scripts, it
 * stops at the first error. Confined to one thread, except for {@link #cancel}.
 */
public final class SqlShell implements AutoCloseable {
    /** Files that include each other. */
    static final int INCLUDED_MAX = 16;

    /**
     * What the command line sets.
     *
     * @param keepGoing whether statements follow after an error
     */
    public record Options(
            Format format, boolean quiet, boolean keepGoing, Map<String, String> variables) {}

    private final PrintStream standardOut;
    private final PrintStream err;
    private final boolean keepGoing;
    private final boolean quiet;
    private final TreeMap<String, String> variables;
    private final ShellCommands commands = new ShellCommands(this);
    private SqlTarget target;
    private StatementRunner runner;
    private @Nullable PrintStream file;
    private Format format;
    private boolean expanded;
    private boolean timing;
    private boolean ended;
    private boolean interactive;
    private @Nullable ResultWriter writer;
    private @Nullable SqlFailure failure;
    private String last = "";
    private int included;

    private SqlShell(SqlTarget target, Options options, PrintStream out, PrintStream err) {
        this.target = target;
        this.runner = new StatementRunner(target.open(), err);
        this.standardOut = out;
        this.err = err;
        this.format = options.format();
        this.quiet = options.quiet();
        this.keepGoing = options.keepGoing();
        this.variables = new TreeMap<>(options.variables());
    }

    /**
     * Connects.
     *
     * @throws PetrichorException as {@link SqlTarget#open}
     */
    public static SqlShell open(
            SqlTarget target, Options options, PrintStream out, PrintStream err) {
        return new SqlShell(target, options, out, err);
    }

    /** Runs statements of the command line. */
    public void runText(String text) throws IOException {
        run(new LineSource.Text(new BufferedReader(new StringReader(text)), ""));
    }

    /**
     * Runs a script.
     *
     * @param name for errors, or empty
     */
    public void runScript(BufferedReader script, String name) throws IOException {
        run(new LineSource.Text(script, name));
    }

    /** Talks with the user of a terminal until {@code \q} or the end of the input. */
    public void runInteractively() throws IOException {
        interactive = true;
        try (TerminalInput input = TerminalInput.open(this)) {
            run(input);
        }
    }

    /** The error that stopped the script, or the last one of an interactive shell that was lost. */
    public Optional<SqlFailure> failure() {
        return Optional.ofNullable(failure);
    }

    /** Cancels the running statement; from any thread. */
    public void cancel() {
        runner.cancel();
    }

    void run(LineSource source) throws IOException {
        Statements statements = new Statements(variables);
        while (!ended) {
            String text = source.next(prompt(statements), Purpose.STATEMENT);
            if (text == null) {
                break;
            }
            // Several lines arrive at once from a terminal; commands end with their line.
            for (String line : text.split("\n", -1)) {
                for (Statements.Part part : statements.line(line)) {
                    run(part, statements, source);
                    if (ended) {
                        return;
                    }
                }
            }
        }
        Statements.Sql left = ended ? null : statements.end();
        if (left != null) {
            execute(left.text(), source);
        }
    }

    private void run(Statements.Part part, Statements statements, LineSource source)
            throws IOException {
        switch (part) {
            case Statements.Sql(String text) -> execute(text, source);
            case Statements.Command command -> {
                try {
                    commands.run(command, statements, source);
                } catch (SQLException failed) {
                    fail(SqlFailure.of(failed, command.text()), source);
                } catch (PetrichorException | IOException failed) {
                    fail(new SqlFailure("", reason(failed), "", "", 0, ""), source);
                }
            }
        }
    }

    private static String reason(Exception failed) {
        return failed instanceof IOException io
                ? petrichor.base.FileProblem.reason(io)
                : String.valueOf(failed.getMessage());
    }

    /** A command that cannot be understood. */
    void refuse(String text, LineSource source) {
        fail(new SqlFailure("", text, "", "", 0, ""), source);
    }

    /** Runs a statement and prints its result or error. */
    void execute(String text, LineSource source) throws IOException {
        last = text;
        long start = System.nanoTime();
        StatementKind kind = StatementKind.of(text);
        try {
            if (kind.copiesFromInput(text)) {
                CopyLines lines = new CopyLines(source);
                try {
                    writer().done("COPY " + runner.copyIn(text, lines));
                } finally {
                    lines.skip();
                }
            } else if (kind.copiesToOutput(text)) {
                copyOut(text);
            } else {
                runner.run(text, writer());
            }
        } catch (SQLException failed) {
            fail(SqlFailure.of(failed, text), source);
        }
        if (timing) {
            double ms = (System.nanoTime() - start) / 1e6;
            notes().println(String.format(Locale.ROOT, "Time: %.3f ms", ms));
        }
        flush();
    }

    /** In a JSON document, the rows of COPY would not be JSON. */
    private void copyOut(String text) throws SQLException, IOException {
        if (format == Format.JSON) {
            throw new SQLException(
                    "COPY … TO STDOUT has no JSON form; use SELECT, or another --format", "0A000");
        }
        runner.copyOut(text, out());
    }

    private void fail(SqlFailure failed, LineSource source) {
        flush();
        String report = failed.sqlState().isEmpty() ? failed.text() : failed.report();
        err.println(source.place() + report);
        writer().failed(failed);
        boolean lost = failed.endsConnection() && isClosed();
        if (interactive && lost) {
            err.println("The connection is lost; \\c connects again.");
        }
        if (!interactive && (!keepGoing || lost)) {
            ended = true;
        }
        if (!interactive && failure == null) {
            failure = failed;
        }
    }

    private boolean isClosed() {
        try {
            return runner.connection().isClosed();
        } catch (SQLException closed) {
            return true;
        }
    }

    private String prompt(Statements statements) {
        if (!statements.isEmpty()) {
            return target.database() + statements.inside().prompt() + "> ";
        }
        return target.database() + promptEnd();
    }

    private String promptEnd() {
        return (switch (runner.transaction()) {
                    case TransactionState.IDLE -> "=";
                    case TransactionState.OPEN -> "*";
                    case TransactionState.FAILED -> "!";
                })
                + "> ";
    }

    /** Connects to a database, or again to the present one. */
    void connect(String database) {
        SqlTarget to =
                new SqlTarget(
                        target.host(),
                        target.port(),
                        database.isEmpty() ? target.database() : database,
                        target.user(),
                        target.password(),
                        target.tls());
        StatementRunner next = new StatementRunner(to.open(), err);
        runner.close();
        runner = next;
        target = to;
        notes().println("You are now connected to " + to.database() + ".");
    }

    SqlTarget target() {
        return target;
    }

    StatementRunner runner() {
        return runner;
    }

    Map<String, String> variables() {
        return variables;
    }

    PrintStream out() {
        PrintStream chosen = file;
        return chosen == null ? standardOut : chosen;
    }

    private void closeFile() {
        PrintStream open = file;
        if (open != null) {
            open.close();
        }
    }

    /** For messages that are no results: standard error, unless a user reads both. */
    PrintStream notes() {
        return quiet
                ? new PrintStream(java.io.OutputStream.nullOutputStream(), false)
                : interactive ? standardOut : err;
    }

    /** The last statement. */
    String last() {
        return last;
    }

    /** The formatter of results; a document lasts until the format or the output changes. */
    ResultWriter writer() {
        ResultWriter present = writer;
        if (present == null) {
            present =
                    switch (format) {
                        case TABLE -> new TableWriter(out(), expanded, notes());
                        case CSV -> new CsvWriter(out(), notes());
                        case JSON -> new JsonWriter(out(), true);
                        case JSONL -> new JsonWriter(out(), false);
                    };
            writer = present;
        }
        return present;
    }

    private void endWriter() {
        if (writer != null) {
            writer.close();
            writer = null;
        }
        flush();
    }

    private void flush() {
        out().flush();
    }

    void format(Format next) {
        endWriter();
        format = next;
    }

    boolean toggleExpanded() {
        endWriter();
        expanded = !expanded;
        return expanded;
    }

    boolean toggleTiming() {
        timing = !timing;
        return timing;
    }

    /**
     * Writes results to a file from now on.
     *
     * @param name empty for standard output
     */
    void output(String name) throws IOException {
        endWriter();
        PrintStream next = name.isEmpty() ? null : new PrintStream(name, StandardCharsets.UTF_8);
        closeFile();
        file = next;
    }

    /** Runs a file within another one. */
    void include(BufferedReader script, String name) throws IOException {
        if (included == INCLUDED_MAX) {
            throw PetrichorException.invalid(
                    "{file}: more than {max} files include each other",
                    "file",
                    name,
                    "max",
                    INCLUDED_MAX);
        }
        included++;
        try {
            run(new LineSource.Text(script, name));
        } finally {
            included--;
        }
    }

    void end() {
        ended = true;
    }

    @Override
    public void close() {
        if (!interactive && format == Format.JSON) {
            // A script without statements is an empty document.
            writer();
        }
        endWriter();
        closeFile();
        runner.close();
    }
}
