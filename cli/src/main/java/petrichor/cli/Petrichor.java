package petrichor.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.bench.BenchCommand;
import petrichor.server.LastingLogs;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The {@code petrichor} command: reads the line, runs one command, exits with its code. */
@Command(
        name = "petrichor",
        mixinStandardHelpOptions = true,
        commandListHeading = "",
        versionProvider = VersionCommand.Text.class,
        description = "A datastore that speaks Google Datastore's API, on your own machines.",
        subcommands = {
            UpCommand.class,
            ServerCommand.class,
            ClusterCommand.class,
            ConfigCommand.class,
            TokenCommand.class,
            LogCommand.class,
            DoctorCommand.class,
            SupportBundleCommand.class,
            ExportCommand.class,
            ImportCommand.class,
            GqlCommand.class,
            IndexCommand.class,
            DatabaseCommand.class,
            StoreCommand.class,
            FlinkCommand.class,
            JobCommand.class,
            BenchCommand.class,
            LabCommand.class,
            CompletionCommand.class,
            HelpCommand.class,
            VersionCommand.class
        },
        footerHeading = "%n",
        footer = {
            "Exit codes: 0 done, 1 failed, 2 wrong command line, 3 conflict, 4 not found,"
                    + " 5 server unavailable.",
            "Start here:  petrichor up"
        })
public final class Petrichor {
    private Petrichor() {}

    public static void main(String[] arguments) {
        System.setProperty(LastingLogs.PROPERTY, LastingLogs.class.getName());
        System.setOut(StandardOutput.open(new FileOutputStream(FileDescriptor.out)));
        System.exit(run(arguments));
    }

    /** As {@link #main}, but returns the exit code. */
    static int run(String... arguments) {
        CommandLine line = commandLine();
        Optional<String> unknown = UnknownNames.inCommands(line, arguments);
        if (unknown.isPresent()) {
            line.getErr().println("petrichor: " + unknown.get());
            line.getErr().flush();
            return ExitCode.USAGE.number();
        }
        int code = line.execute(arguments);
        if (System.out.checkError() && code == ExitCode.OK.number()) {
            if (StandardOutput.readerEnded()) {
                return ExitCode.READER_ENDED.number();
            }
            Terminal.open(false)
                    .complain(
                            "petrichor: standard output could not be written completely: is the"
                                    + " disk full?");
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
        line.getHelpSectionMap().put(SECTION_KEY_COMMAND_LIST, CommandGroups::list);
        whatStandsBehindTheJarIsTheJobs(line);
        everyVersionIsOurs(line);
        return line;
    }

    private static void whatStandsBehindTheJarIsTheJobs(CommandLine line) {
        Map<String, CommandLine> job =
                Objects.requireNonNull(line.getSubcommands().get("job")).getSubcommands();
        for (String command : List.of("run", "tune", "explain")) {
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
        err.println(name + ": " + UnknownNames.inOptions(wrong).orElse(wrong.getMessage()));
        err.println("`" + name + " --help` lists the options.");
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
                yield ExitCode.of(known).number();
            }
            case UncheckedIOException inputOutput -> {
                terminal.complain(
                        name
                                + ": "
                                + FileProblem.reason(
                                        Objects.requireNonNull(inputOutput.getCause())));
                yield ExitCode.FAILURE.number();
            }
            case IOException _ when StandardOutput.readerEnded() -> ExitCode.READER_ENDED.number();
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
