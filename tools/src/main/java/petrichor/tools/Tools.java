package petrichor.tools;

import petrichor.bench.BenchCommand;
import petrichor.cli.CommandRunner;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The program of the developers' tools; the launcher starts it for {@code bench} and {@code lab}.
 */
@Command(
        name = "petrichor",
        mixinStandardHelpOptions = true,
        description = "Benchmarks and the fault laboratory.",
        subcommands = {BenchCommand.class, LabCommand.class})
public final class Tools {
    private Tools() {}

    public static void main(String[] arguments) {
        CommandRunner.runAndExit(Tools::commandLine, arguments);
    }

    static CommandLine commandLine() {
        return CommandRunner.configure(new CommandLine(new Tools()));
    }
}
