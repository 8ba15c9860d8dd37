package petrichor.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.bench.BenchCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code petrichor} command: reads the line, runs one command, exits with its code. */
@Command(
        name = "petrichor",
        mixinStandardHelpOptions = true,
        versionProvider = VersionCommand.Text.class,
        description = "A datastore that speaks Google Datastore's API, on your own machines.",
        subcommands = {
            UpCommand.class,
            ServerCommand.class,
            ClusterCommand.class,
            ConfigCommand.class,
            ExportCommand.class,
            ImportCommand.class,
            GqlCommand.class,
            IndexCommand.class,
            StoreCommand.class,
            FlinkCommand.class,
            JobCommand.class,
            BenchCommand.class,
            LabCommand.class,
            CompletionCommand.class,
            VersionCommand.class
        },
        footerHeading =
                "%nThe launcher itself has three more: build compiles, test [--all] runs the"
                        + " tests, format lays out the sources.%n%n",
        footer = {
            "Exit codes: 0 done, 1 failed, 2 wrong command line, 3 conflict, 4 not found,"
                    + " 5 server unavailable.",
            "Start here:  petrichor up"
        })
public final class Petrichor {
    private Petrichor() {}

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    /** As {@link #main}, but returns the exit code. */
    static int run(String... arguments) {
        int code = commandLine().execute(arguments);
        if (System.out.checkError() && code == ExitCode.OK.number()) {
            Terminal.open(false).complain("petrichor: standard output took not all of it");
            return ExitCode.FAILURE.number();
        }
        return code;
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Petrichor());
        line.setExecutionExceptionHandler(Petrichor::explain);
        line.setParameterExceptionHandler(Petrichor::correct);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        whatStandsBehindTheJarIsTheJobs(line);
        everyVersionIsOurs(line);
        return line;
    }

    private static void whatStandsBehindTheJarIsTheJobs(CommandLine line) {
        Map<String, CommandLine> job =
                Objects.requireNonNull(line.getSubcommands().get("job")).getSubcommands();
        for (String command : List.of("run", "explain")) {
            Objects.requireNonNull(job.get(command)).setStopAtPositional(true);
        }
    }

    private static void everyVersionIsOurs(CommandLine line) {
        line.getCommandSpec().versionProvider(new VersionCommand.Text());
        line.getSubcommands().values().forEach(Petrichor::everyVersionIsOurs);
    }

    /** A wrong command line is told in a line or two; the whole help would hide what was wrong. */
    private static int correct(ParameterException wrong, String[] arguments) {
        CommandLine line = wrong.getCommandLine();
        String name = line.getCommandSpec().qualifiedName();
        PrintWriter err = line.getErr();
        err.println(name + ": " + wrong.getMessage());
        UnmatchedArgumentException.printSuggestions(wrong, err);
        err.println("`" + name + " --help` says what there is.");
        err.flush();
        return ExitCode.USAGE.number();
    }

    /** What failed is told in one line; a stack trace only where the defect is ours. */
    private static int explain(Exception failure, CommandLine line, ParseResult parsed) {
        Terminal terminal = Terminal.open(false);
        String name = line.getCommandSpec().qualifiedName();
        return switch (failure) {
            case PetrichorException known -> {
                terminal.complain(name + ": " + known.getMessage());
                yield ExitCode.of(known.code()).number();
            }
            case UncheckedIOException inputOutput -> {
                terminal.complain(
                        name
                                + ": "
                                + FileProblem.reason(
                                        Objects.requireNonNull(inputOutput.getCause())));
                yield ExitCode.FAILURE.number();
            }
            case IOException inputOutput -> {
                terminal.complain(name + ": " + FileProblem.reason(inputOutput));
                yield ExitCode.FAILURE.number();
            }
            default -> {
                terminal.complain(name + ": a defect of Petrichor's; please report it with this:");
                failure.printStackTrace(line.getErr());
                yield ExitCode.FAILURE.number();
            }
        };
    }
}
