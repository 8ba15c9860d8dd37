package petrichor.cli.data;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.KnownDatabases;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.StandardOutput;
import petrichor.cli.console.Terminal;
import petrichor.client.DatabaseName;
import petrichor.movement.EntityExport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        description = {
            "Export a database as newline JSON: one entity per line, at one read time.",
            "A file gets its name only when it is complete."
        })
public final class ExportCommand implements Callable<Integer> {
    private static final String STANDARD_OUTPUT = "-";

    @Spec private CommandSpec spec = CommandSpec.create();

    @Mixin private ServerAddress address = new ServerAddress();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Output file; .gz compresses. Default: - for standard output")
    private String output = STANDARD_OUTPUT;

    @Option(
            names = "--all",
            description =
                    "Export every database of the server, each to PROJECT.DATABASE.jsonl.gz in the"
                            + " folder named by --output.")
    private boolean all;

    @Option(names = "--force", description = "Replace the file if it exists.")
    private boolean force;

    @Option(names = "--kind", description = "Export only this kind; repeatable.")
    private List<String> kinds = List.of();

    @Option(
            names = "--namespace",
            description = "Export only this namespace; repeatable. \"\" is the default namespace.")
    private List<String> namespaces = List.of();

    @Option(
            names = "--read-time",
            paramLabel = "TIME",
            description = "Read time, such as 2026-01-31T12:00:00Z. Default: now")
    private @Nullable String readTime;

    @Option(names = "--quiet", description = "Print only errors.")
    private boolean quiet;

    @Option(
            names = "--json",
            description =
                    "Print the summary as JSON (to standard error if data goes to standard"
                            + " output).")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Terminal terminal = Terminal.open(quiet);
        Instant moment = moment();
        try (ServerAddress.Connection connection = address.connect(false)) {
            if (all) {
                return everything(connection, moment, terminal);
            }
            DatabaseName database = address.databaseName();
            List<DatabaseName> known = known(connection);
            EntityExport export = export(connection, database, moment, terminal);
            EntityExport.Summary summary =
                    output.equals(STANDARD_OUTPUT)
                            ? toStandardOutput(export)
                            : toFile(export, Path.of(output));
            if (known != null && !known.contains(database)) {
                terminal.complain(KnownDatabases.missing(database, known));
            } else if (summary.entities() == 0) {
                terminal.complain(
                        "warning: nothing was exported: "
                                + database
                                + " has no entities in these namespaces and kinds");
            }
            tell(database, summary, output, terminal);
        }
        return ExitCode.OK.number();
    }

    /**
     * Null if the server does not list its databases, because it is not Petrichor or an older
     * version.
     */
    private @Nullable List<DatabaseName> known(ServerAddress.Connection connection)
            throws InterruptedException {
        try {
            return KnownDatabases.of(connection, address);
        } catch (PetrichorException notListed) {
            return null;
        }
    }

    /** Exports each database at its own read time, unless the command line sets one. */
    private int everything(
            ServerAddress.Connection connection, @Nullable Instant moment, Terminal terminal)
            throws IOException, InterruptedException {
        if (output.equals(STANDARD_OUTPUT)) {
            throw new ParameterException(
                    spec.commandLine(), "--all needs --output FOLDER, since it writes many files");
        }
        Path folder = Files.createDirectories(Path.of(output));
        List<DatabaseName> databases = KnownDatabases.of(connection, address);
        for (DatabaseName database : databases) {
            String id = database.database().isEmpty() ? "(default)" : database.database();
            Path file = folder.resolve(database.project() + "." + id + ".jsonl.gz");
            EntityExport.Summary summary =
                    toFile(export(connection, database, moment, terminal), file);
            tell(database, summary, file.toString(), terminal);
        }
        if (databases.isEmpty()) {
            terminal.complain("warning: nothing was exported: the server has no databases");
        }
        return ExitCode.OK.number();
    }

    private EntityExport export(
            ServerAddress.Connection connection,
            DatabaseName database,
            @Nullable Instant moment,
            Terminal terminal) {
        return new EntityExport(
                connection.client(),
                new EntityExport.Scope(database, moment, namespaces, kinds),
                (entities, bytes, _) ->
                        terminal.progress("entities exported", entities, bytes, -1));
    }

    private @Nullable Instant moment() {
        if (readTime == null) {
            return null;
        }
        try {
            return Instant.parse(readTime);
        } catch (DateTimeParseException noTime) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--read-time " + readTime + " is not a time; write it as 2026-01-31T12:00:00Z",
                    noTime);
        }
    }

    private static EntityExport.Summary toStandardOutput(EntityExport export) throws IOException {
        Writer out = writer(new StandardOutput());
        EntityExport.Summary summary = export.writeTo(out);
        out.flush();
        return summary;
    }

    /**
     * Writes to a temporary file next to the target and renames it at the end, so that a partial
     * export never appears under the target's name.
     */
    private EntityExport.Summary toFile(EntityExport export, Path file) throws IOException {
        if (Files.exists(file) && !force) {
            throw PetrichorException.of(
                    ErrorCode.ALREADY_EXISTS,
                    "{file} already exists; --force replaces it",
                    "file",
                    file);
        }
        Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        EntityExport.Summary summary;
        boolean compressed = file.toString().endsWith(".gz");
        try (OutputStream raw = Files.newOutputStream(unfinished);
                Writer out = writer(compressed ? new GZIPOutputStream(raw) : raw)) {
            summary = export.writeTo(out);
        } catch (UncheckedIOException failed) {
            Files.deleteIfExists(unfinished);
            throw FileProblem.of(
                    "cannot write " + unfinished, Objects.requireNonNull(failed.getCause()));
        } catch (IOException failed) {
            Files.deleteIfExists(unfinished);
            throw FileProblem.of("cannot write " + unfinished, failed);
        } catch (PetrichorException failed) {
            Files.deleteIfExists(unfinished);
            throw failed;
        }
        try {
            Files.move(
                    unfinished,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException plain) {
            Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
        }
        return summary;
    }

    private static Writer writer(OutputStream out) {
        return new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
    }

    private void tell(
            DatabaseName database,
            EntityExport.Summary summary,
            String written,
            Terminal terminal) {
        if (json) {
            JsonLine line =
                    new JsonLine()
                            .put("database", database.toString())
                            .put("entities", summary.entities())
                            .put("namespaces", summary.namespaces())
                            .put("bytes", summary.bytes())
                            .put("readTime", summary.readTime().toString())
                            .put("file", written);
            (output.equals(STANDARD_OUTPUT) ? System.err : System.out).println(line);
        } else {
            terminal.say(
                    String.format(
                            java.util.Locale.ROOT,
                            "exported %,d %s of %s as of %s",
                            summary.entities(),
                            summary.entities() == 1 ? "entity" : "entities",
                            database,
                            summary.readTime()));
        }
    }
}
