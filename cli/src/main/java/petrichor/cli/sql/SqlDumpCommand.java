package petrichor.cli.sql;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.postgresql.core.BaseConnection;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.StandardOutput;
import petrichor.cli.console.Terminal;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "dump",
        mixinStandardHelpOptions = true,
        description = {
            "Write tables as SQL text, from one snapshot.",
            "`petrichor sql -f` and PostgreSQL's psql restore it. Kinds of entities are left out;"
                    + " `petrichor export` writes them."
        })
final class SqlDumpCommand implements Callable<Integer> {
    private static final String STANDARD_OUTPUT = "-";

    @Mixin private SqlAddress address = new SqlAddress();

    @Option(
            names = "--table",
            description = "Write this table or view; may be repeated. Default: all, with sequences")
    private List<String> tables = new ArrayList<>();

    /** Which half is written. */
    static final class Half {
        @Option(names = "--schema-only", description = "Write definitions, no rows.")
        private boolean schemaOnly;

        @Option(names = "--data-only", description = "Write rows, no definitions.")
        private boolean dataOnly;

        private Set<SqlDump.Part> parts() {
            Set<SqlDump.Part> parts = EnumSet.allOf(SqlDump.Part.class);
            if (schemaOnly) {
                parts.remove(SqlDump.Part.DATA);
            }
            if (dataOnly) {
                parts.remove(SqlDump.Part.SCHEMA);
            }
            return parts;
        }
    }

    @ArgGroup private Half half = new Half();

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "File to write. Default: standard output")
    private String output = STANDARD_OUTPUT;

    @Option(names = "--force", description = "Replace an existing file.")
    private boolean force;

    @Option(names = "--quiet", description = "Print only errors.")
    private boolean quiet;

    @Option(
            names = "--json",
            description =
                    "Print the summary as one JSON object; to standard error if the dump goes to"
                            + " standard output.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        try (BaseConnection connection = address.target("").open()) {
            SqlDump.Summary summary;
            if (output.equals(STANDARD_OUTPUT)) {
                PrintStream out = System.out;
                summary = new SqlDump(connection, half.parts(), out).write(tables);
                StandardOutput.requireTaken();
            } else {
                summary = toFile(connection, Path.of(output));
            }
            report(summary);
            return ExitCode.OK.number();
        } catch (SQLException alreadyClosed) {
            throw new IllegalStateException("closing a connection fails silently", alreadyClosed);
        }
    }

    /** A partial dump never appears under the file's name. */
    private SqlDump.Summary toFile(BaseConnection connection, Path file) {
        if (Files.exists(file) && !force) {
            throw PetrichorException.of(
                    ErrorCode.ALREADY_EXISTS,
                    "{file} already exists; --force replaces it",
                    "file",
                    file);
        }
        Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        try {
            SqlDump.Summary summary = write(connection, unfinished);
            Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
            return summary;
        } catch (IOException failed) {
            throw FileProblem.of("cannot write " + file, failed);
        } finally {
            deleteIfLeft(unfinished);
        }
    }

    private SqlDump.Summary write(BaseConnection connection, Path to) throws IOException {
        try (PrintStream out =
                new PrintStream(Files.newOutputStream(to), false, StandardCharsets.UTF_8)) {
            return new SqlDump(connection, half.parts(), out).write(tables);
        }
    }

    private static void deleteIfLeft(Path unfinished) {
        try {
            Files.deleteIfExists(unfinished);
        } catch (IOException failed) {
            throw FileProblem.of("cannot delete " + unfinished, failed);
        }
    }

    private void report(SqlDump.Summary summary) {
        if (json) {
            JsonLine line =
                    new JsonLine()
                            .put("tables", summary.tables())
                            .put("rows", summary.rows())
                            .put("file", output);
            (output.equals(STANDARD_OUTPUT) ? System.err : System.out).println(line);
        } else {
            Terminal.open(quiet)
                    .say(
                            String.format(
                                    Locale.ROOT,
                                    "wrote %,d %s with %,d %s",
                                    summary.tables(),
                                    summary.tables() == 1 ? "table" : "tables",
                                    summary.rows(),
                                    summary.rows() == 1 ? "row" : "rows"));
        }
    }
}
