package petrichor.cli.sql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "import",
        mixinStandardHelpOptions = true,
        description = {
            "Import a CSV, JSON lines or Parquet file into a table.",
            "Creates the table, with the types of the first 10,000 rows, unless it exists. Rows are"
                    + " stored in transactions of 1,000; an import that stops names the line where"
                    + " it continues."
        })
final class SqlImportCommand implements Callable<Integer> {
    private static final String STANDARD_INPUT = "-";

    @Mixin private SqlAddress address = new SqlAddress();

    @Parameters(
            paramLabel = "FILE",
            description =
                    "FILE.csv, .tsv, .jsonl (each also with .gz), .parquet, or - for CSV from"
                            + " standard input")
    private String file = STANDARD_INPUT;

    @Option(names = "--table", required = true, description = "Table to import into.")
    private String table = "";

    /** What happens to the table first. */
    static final class Preparation {
        @Option(names = "--create", description = "Create the table; fail if it exists.")
        private boolean create;

        @Option(names = "--truncate", description = "Delete the rows of the table first.")
        private boolean truncate;

        private TableImport.Preparation chosen() {
            return create
                    ? TableImport.Preparation.CREATE
                    : truncate
                            ? TableImport.Preparation.TRUNCATE
                            : TableImport.Preparation.AS_NEEDED;
        }
    }

    @ArgGroup private Preparation preparation = new Preparation();

    @Option(
            names = "--columns",
            split = ",",
            paramLabel = "NAME",
            description =
                    "Names of the file's columns, or of the members and columns to import. Default:"
                            + " those of the header, or all")
    private List<String> columns = new ArrayList<>();

    @Option(
            names = "--key",
            split = ",",
            paramLabel = "NAME",
            description = "Columns of the primary key, if the table is created.")
    private List<String> key = new ArrayList<>();

    @Option(names = "--no-header", description = "The first line of a CSV file is a row.")
    private boolean noHeader;

    @Option(names = "--delimiter", description = "Of CSV. Default: a comma; a tab for .tsv")
    private @Nullable Character delimiter;

    @Option(
            names = "--null",
            paramLabel = "TEXT",
            description = "Value of CSV that is NULL. Default: the empty one")
    private String nullText = "";

    @Option(
            names = "--from",
            paramLabel = "N",
            description = "Start at this line, or row of a Parquet file. Default: 1")
    private long from = 1;

    @Option(
            names = "--rejects",
            paramLabel = "FILE",
            description =
                    "Write rows that cannot be stored to this file, their reasons to standard"
                            + " error, and continue. Default: stop at the first one")
    private @Nullable Path rejects;

    @Option(names = "--quiet", description = "Print only errors.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the summary as one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Terminal terminal = Terminal.open(quiet);
        long start = System.nanoTime();
        try (ImportedRows rows = open();
                PrintWriter rejected = rejects == null ? null : writer(rejects);
                BaseConnection connection = address.target("").open()) {
            TableImport.Outcome outcome =
                    new TableImport(
                                    connection,
                                    new TableImport.Request(table, preparation.chosen(), key, from),
                                    rows,
                                    row -> setAside(row, rejected, terminal),
                                    count -> progress(count, start, terminal))
                            .run();
            return report(outcome, seconds(start), terminal);
        } catch (SQLException alreadyClosed) {
            throw new IllegalStateException("closing a connection fails silently", alreadyClosed);
        }
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private static void progress(long count, long start, Terminal terminal) {
        terminal.status(
                String.format(
                        Locale.ROOT,
                        "%,d rows, %s",
                        count,
                        TableImport.speed(count, seconds(start))));
    }

    private ImportedRows open() throws IOException {
        ImportFiles.Dialect dialect =
                new ImportFiles.Dialect(columns, !noHeader, delimiter, nullText);
        if (file.equals(STANDARD_INPUT)) {
            return ImportFiles.csv(text(System.in), dialect, ',');
        }
        Path path = Path.of(file);
        String name = path.getFileName().toString().toLowerCase(Locale.ROOT);
        if (name.endsWith(".parquet")) {
            return ImportFiles.parquet(path, columns);
        }
        String plain = name.replaceFirst("\\.gz$", "");
        if (!plain.matches(".*\\.(csv|tsv|jsonl|ndjson)")) {
            throw PetrichorException.invalid(
                    "{file} has no known format: its name must end with .csv, .tsv, .jsonl,"
                            + " .ndjson or .parquet",
                    "file",
                    file);
        }
        try {
            InputStream raw = Files.newInputStream(path);
            BufferedReader reader = text(name.endsWith(".gz") ? new GZIPInputStream(raw) : raw);
            return plain.endsWith("sonl") || plain.endsWith("ndjson")
                    ? ImportFiles.jsonLines(reader, columns)
                    : ImportFiles.csv(reader, dialect, plain.endsWith(".tsv") ? '\t' : ',');
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read " + path, unreadable);
        }
    }

    private static BufferedReader text(InputStream in) {
        return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    private static PrintWriter writer(Path file) {
        try {
            return new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
        } catch (IOException failed) {
            throw FileProblem.of("cannot write --rejects " + file, failed);
        }
    }

    private boolean setAside(
            TableImport.Rejected row, @Nullable PrintWriter rejected, Terminal terminal) {
        terminal.complain(file + ":" + row.line() + ": " + row.reason());
        if (rejected == null) {
            return false;
        }
        rejected.println(row.source());
        return true;
    }

    private int report(TableImport.Outcome outcome, double seconds, Terminal terminal) {
        boolean complete = outcome.stopped().isEmpty();
        if (json) {
            JsonLine line =
                    new JsonLine()
                            .put("table", outcome.table())
                            .put("created", outcome.created() ? "yes" : "no")
                            .put("rows", outcome.rows())
                            .put("rejected", outcome.rejected())
                            .put("outcome", complete ? "done" : "stopped");
            outcome.stopped()
                    .ifPresent(row -> line.put("from", row.line()).put("reason", row.reason()));
            System.out.println(line);
        } else {
            terminal.say(
                    String.format(
                            Locale.ROOT,
                            "imported %,d %s into %s%s in %.1f s, %s",
                            outcome.rows(),
                            outcome.rows() == 1 ? "row" : "rows",
                            outcome.table(),
                            outcome.created() ? ", which was created," : "",
                            seconds,
                            TableImport.speed(outcome.rows(), seconds)));
        }
        if (outcome.rejected() > 0) {
            terminal.complain(
                    String.format(
                            Locale.ROOT,
                            "%,d rows were rejected; they are in %s: correct them there and import"
                                    + " that file",
                            outcome.rejected(),
                            rejects));
        }
        outcome.stopped()
                .ifPresent(
                        row ->
                                terminal.complain(
                                        String.format(
                                                Locale.ROOT,
                                                "The rows before it are stored; correct it and"
                                                        + " continue with --from %d, or add"
                                                        + " --rejects FILE.",
                                                row.line())));
        return (complete && outcome.rejected() == 0 ? ExitCode.OK : ExitCode.FAILURE).number();
    }
}
