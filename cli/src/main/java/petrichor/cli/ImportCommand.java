package petrichor.cli;

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
            "Writes an export, Petrichor's or Google's, into a database.",
            "Reads newline JSON as `petrichor export` makes it, or a folder that Google's managed"
                    + " export of Datastore wrote.",
            "Entities that are there already are overwritten, so doing it again does no harm."
        })
final class ImportCommand implements Callable<Integer> {
    private static final String STANDARD_INPUT = "-";

    @Mixin private ServerAddress address = new ServerAddress();

    @Parameters(
            paramLabel = "SOURCE",
            description =
                    "A file (.gz may be compressed), - for standard input, or a managed export's"
                            + " folder or .overall_export_metadata file")
    private String source = STANDARD_INPUT;

    @Option(
            names = "--namespace",
            description = "Puts everything into this namespace. Default: where it was")
    private @Nullable String namespace;

    @Option(
            names = "--from",
            paramLabel = "N",
            description = "Goes on at this line, or record of a managed export. Default: 1")
    private long from = 1;

    @Option(
            names = "--bad-lines",
            paramLabel = "FILE",
            description =
                    "Puts lines that are no entities here, and the reasons on standard error,"
                            + " and goes on. Without it the first one ends the import.")
    private @Nullable Path badLines;

    @Option(names = "--dry-run", description = "Reads and checks everything, writes nothing.")
    private boolean dryRun;

    @Option(names = "--quiet", description = "Says nothing but what fails.")
    private boolean quiet;

    @Option(names = "--json", description = "Prints the summary as one JSON object.")
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
                                    "%,d lines are no entities; they are in %s: mend them there and"
                                            + " import that file",
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
                                "%,d entities before it are stored; go on with --from %d %s.",
                                stopped.entities(),
                                stopped.resumeFrom(),
                                remedy(stopped.code())));
                ExitCode code = ExitCode.of(stopped.code());
                yield code.number();
            }
        };
    }

    /** A line can be mended or passed over; what ails the server is not the line's fault. */
    private static String remedy(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT, ALREADY_EXISTS, NOT_FOUND ->
                    "when it is mended, or add --bad-lines FILE to pass over lines that are no"
                            + " entities";
            case UNAUTHENTICATED, PERMISSION_DENIED -> "and the server's --token";
            case FAILED_PRECONDITION,
                    ABORTED,
                    RESOURCE_EXHAUSTED,
                    UNAVAILABLE,
                    DEADLINE_EXCEEDED,
                    UNIMPLEMENTED,
                    INTERNAL ->
                    "when the server takes writes again";
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
