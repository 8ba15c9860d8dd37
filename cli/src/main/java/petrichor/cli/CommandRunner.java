package petrichor.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.StandardOutput;
import petrichor.cli.console.Terminal;
import petrichor.server.logs.PersistentLogHandlers;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Runs a command line. Exit codes, error messages and versions are the same in all of Petrichor's
 * programs.
 */
public final class CommandRunner {
    private CommandRunner() {}

    /**
     * Runs one command and ends the process with its exit code.
     *
     * @param line called after logging is set up, which must precede the first logger
     */
    public static void runAndExit(Supplier<CommandLine> line, String... arguments) {
        System.setProperty(PersistentLogHandlers.PROPERTY, PersistentLogHandlers.class.getName());
        System.setOut(StandardOutput.open(new FileOutputStream(FileDescriptor.out)));
        System.exit(run(line.get(), arguments));
    }

    /** Runs one command and returns its exit code. */
    static int run(CommandLine line, String... arguments) {
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
                    .complain("petrichor: cannot write all of standard output: is the disk full?");
            return ExitCode.FAILURE.number();
        }
        return code;
    }

    /**
     * Applies settings shared by all programs of Petrichor. Call it after the subcommands are
     * added.
     */
    public static CommandLine configure(CommandLine line) {
        line.setExecutionExceptionHandler(CommandRunner::explain);
        line.setParameterExceptionHandler(CommandRunner::correct);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        setVersions(line);
        return line;
    }

    private static void setVersions(CommandLine line) {
        line.getCommandSpec().versionProvider(new VersionCommand.Text());
        line.getSubcommands().values().forEach(CommandRunner::setVersions);
    }

    /** Prints one or two lines; the complete help would hide the error. */
    private static int correct(ParameterException wrong, String[] arguments) {
        CommandLine line = wrong.getCommandLine();
        String name = line.getCommandSpec().qualifiedName();
        PrintWriter err = line.getErr();
        err.println(name + ": " + UnknownNames.inArguments(wrong).orElse(wrong.getMessage()));
        err.println("`" + name + " --help` lists the options.");
        err.flush();
        return ExitCode.USAGE.number();
    }

    /** Prints one line for an expected failure, and a stack trace for a bug. */
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
                terminal.complain(
                        name + ": internal error; please report it with this stack trace:");
                failure.printStackTrace(line.getErr());
                yield ExitCode.FAILURE.number();
            }
        };
    }
}
