package petrichor.cli.data;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import petrichor.movement.EntityImport;
import petrichor.movement.EntitySource;
import petrichor.movement.JsonLines;
import petrichor.movement.ManagedExport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "import",
        mixinStandardHelpOptions = true,
        description = {
            "Import an export, Petrichor's or Google's, into a database.",
            "Reads the newline JSON of `petrichor export`, or the folder of a managed export of"
                    + " Google's Datastore.",
            "Existing entities are overwritten, so an import can be repeated."
        })
public final class ImportCommand implements Callable<Integer> {
    private static final String STANDARD_INPUT = "-";

    @Mixin private ServerAddress address = new ServerAddress();

    @Parameters(
            paramLabel = "SOURCE",
            description =
                    "A file (.gz is decompressed), - for standard input, or the folder or"
                            + " .overall_export_metadata file of a managed export")
    private String source = STANDARD_INPUT;

    @Option(
            names = "--namespace",
            description = "Import everything into this namespace. Default: the original namespaces")
    private @Nullable String namespace;

    @Option(
            names = "--from",
            paramLabel = "N",
            description = "Start at this line, or record of a managed export. Default: 1")
    private long from = 1;

    @Option(
            names = "--bad-lines",
            paramLabel = "FILE",
            description =
                    "Write invalid lines to this file, their reasons to standard error, and"
                            + " continue. Default: stop at the first invalid line")
    private @Nullable Path badLines;

    @Option(names = "--dry-run", description = "Read and check everything, write nothing.")
    private boolean dryRun;

    @Option(names = "--quiet", description = "Print only errors.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the summary as one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Terminal terminal = Terminal.open(quiet);
        try (EntitySource entities = open();
                PrintWriter bad = badLines == null ? null : writer(badLines);
                ServerAddress.Connection connection = address.connect(true)) {
            Consumer<EntitySource.Bad> skipping =
                    bad == null ? null : unreadable -> setAside(unreadable, bad, terminal);
            EntityImport.Outcome outcome =
                    new EntityImport(
                                    connection.client(),
                                    new EntityImport.Options(
                                            address.databaseName(),
                                            namespace,
                                            from,
                                            skipping,
                                            dryRun),
                                    (count, bytes, total) ->
                                            terminal.progress(
                                                    "entities imported", count, bytes, total))
                            .readFrom(entities);
            return tell(outcome, terminal);
        }
    }

    private EntitySource open() {
        if (source.equals(STANDARD_INPUT)) {
            return JsonLines.of("standard input", System.in);
        }
        Path path = Path.of(source);
        return ManagedExport.looksLike(path) ? ManagedExport.open(path) : JsonLines.open(path);
    }

    private static PrintWriter writer(Path file) {
        try {
            return new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
        } catch (IOException failed) {
            throw FileProblem.of("cannot write --bad-lines " + file, failed);
        }
    }

    private static void setAside(EntitySource.Bad bad, PrintWriter file, Terminal terminal) {
        terminal.complain(bad.place() + ": " + bad.reason());
        file.println(bad.text());
    }

    private int tell(EntityImport.Outcome outcome, Terminal terminal) {
        return switch (outcome) {
            case EntityImport.Done(long entities, long bad) -> {
                report(new JsonLine().put("entities", entities).put("bad", bad), "done");
                terminal.say(
                        String.format(
                                Locale.ROOT,
                                dryRun
                                        ? "%,d %s could be imported into %s; nothing was"
                                                + " written"
                                        : "imported %,d %s into %s",
                                entities,
                                entities == 1 ? "entity" : "entities",
                                address.databaseName()));
                if (bad > 0) {
                    terminal.complain(
                            String.format(
                                    Locale.ROOT,
                                    "%,d lines are not entities; they are in %s: correct them there"
                                            + " and import that file",
                                    bad,
                                    badLines));
                }
                yield (bad == 0 ? ExitCode.OK : ExitCode.FAILURE).number();
            }
            case EntityImport.Stopped stopped -> {
                report(
                        new JsonLine()
                                .put("entities", stopped.entities())
                                .put("file", stopped.place().file())
                                .put("line", stopped.place().number())
                                .put("reason", stopped.reason())
                                .put("from", stopped.resumeFrom()),
                        "stopped");
                terminal.complain(stopped.place() + ": " + stopped.reason());
                terminal.complain(
                        String.format(
                                Locale.ROOT,
                                "%,d entities before it are stored; continue with --from %d %s.",
                                stopped.entities(),
                                stopped.resumeFrom(),
                                remedy(stopped.code())));
                ExitCode code = ExitCode.of(stopped.code());
                yield code.number();
            }
        };
    }

    /**
     * Suggests a remedy: an invalid line can be corrected or skipped; a failure of the server is
     * retried.
     */
    private static String remedy(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT, ALREADY_EXISTS, NOT_FOUND ->
                    "when it is corrected, or add --bad-lines FILE to skip invalid lines";
            case UNAUTHENTICATED, PERMISSION_DENIED -> "and the server's --token";
            case FAILED_PRECONDITION,
                    ABORTED,
                    RESOURCE_EXHAUSTED,
                    UNAVAILABLE,
                    DEADLINE_EXCEEDED,
                    UNIMPLEMENTED,
                    INTERNAL ->
                    "when the server accepts writes again";
        };
    }

    private void report(JsonLine line, String outcome) {
        if (json) {
            System.out.println(
                    line.put("outcome", outcome)
                            .put("database", address.databaseName().toString()));
        }
    }
}
