package petrichor.cli.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.jline.reader.EOFError;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.ParsedLine;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;

/**
 * Lines that a user types at a terminal: with history, completion, and statements over several
 * lines. Ctrl-C drops the line, or cancels the running statement.
 */
final class TerminalInput implements LineSource, AutoCloseable {
    private static final int HISTORY_MAX = 5_000;

    private final Terminal terminal;
    private final LineReader reader;
    private final SqlParser parser;

    private TerminalInput(Terminal terminal, LineReader reader, SqlParser parser) {
        this.terminal = terminal;
        this.reader = reader;
        this.parser = parser;
    }

    static TerminalInput open(SqlShell shell) {
        try {
            Terminal terminal =
                    TerminalBuilder.builder().system(true).nativeSignals(true).dumb(true).build();
            terminal.handle(Terminal.Signal.INT, _ -> shell.cancel());
            SqlParser parser = new SqlParser(shell.variables());
            LineReaderBuilder builder =
                    LineReaderBuilder.builder()
                            .terminal(terminal)
                            .appName("petrichor")
                            .parser(parser)
                            .completer(new SqlCompleter(shell))
                            .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                            .option(LineReader.Option.CASE_INSENSITIVE, true)
                            .variable(LineReader.SECONDARY_PROMPT_PATTERN, "%M> ")
                            .variable(LineReader.HISTORY_SIZE, HISTORY_MAX)
                            .variable(LineReader.HISTORY_FILE_SIZE, HISTORY_MAX);
            Path history = historyFile();
            if (history != null) {
                builder.variable(LineReader.HISTORY_FILE, history);
            }
            return new TerminalInput(terminal, builder.build(), parser);
        } catch (IOException unusable) {
            throw FileProblem.of("cannot use the terminal", unusable);
        }
    }

    /** Readable only by the user, as statements may contain secrets; null if it cannot be. */
    private static @Nullable Path historyFile() {
        String state = System.getenv("XDG_STATE_HOME");
        Path folder =
                state == null || state.isEmpty()
                        ? Path.of(System.getProperty("user.home"), ".local", "state")
                        : Path.of(state);
        Path file = folder.resolve("petrichor").resolve("sql-history");
        try {
            Files.createDirectories(file.getParent());
            if (!Files.exists(file)) {
                Files.createFile(
                        file,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
            }
            return file;
        } catch (IOException | UnsupportedOperationException noHistory) {
            return null;
        }
    }

    @Override
    public @Nullable String next(String prompt, Purpose purpose) {
        parser.accept(purpose);
        while (true) {
            try {
                return reader.readLine(purpose == Purpose.DATA ? ">> " : prompt);
            } catch (UserInterruptException dropped) {
                if (purpose == Purpose.DATA) {
                    return null;
                }
            } catch (EndOfFileException end) {
                return null;
            }
        }
    }

    @Override
    public String place() {
        return "";
    }

    @Override
    public void close() {
        try {
            reader.getHistory().save();
            terminal.close();
        } catch (IOException noHistory) {
            return;
        }
    }

    /** Asks for further lines until the statement ends. */
    private static final class SqlParser extends DefaultParser {
        private final Map<String, String> variables;
        private Purpose purpose = Purpose.STATEMENT;

        private SqlParser(Map<String, String> variables) {
            this.variables = variables;
            setQuoteChars(new char[0]);
            setEscapeChars(new char[0]);
        }

        private void accept(Purpose next) {
            purpose = next;
        }

        @Override
        public boolean isDelimiterChar(CharSequence buffer, int at) {
            return Character.isWhitespace(buffer.charAt(at))
                    || "(),;=<>+*/".indexOf(buffer.charAt(at)) >= 0;
        }

        @Override
        public ParsedLine parse(String text, int cursor, ParseContext context) {
            if ((context == ParseContext.ACCEPT_LINE || context == ParseContext.SECONDARY_PROMPT)
                    && purpose == Purpose.STATEMENT) {
                Statements statements = new Statements(variables);
                for (String line : text.split("\n", -1)) {
                    statements.line(line);
                }
                if (!statements.isEmpty()) {
                    throw new EOFError(-1, -1, "not the end", statements.inside().prompt());
                }
            }
            return super.parse(text, cursor, context);
        }
    }
}
