package petrichor.tools;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import petrichor.bench.BenchCommand;
import petrichor.bench.MeasuredFiles;
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
        CommandLine line = CommandRunner.configure(new CommandLine(new Tools()));
        CommandLine.IExecutionStrategy execution = line.getExecutionStrategy();
        return line.setExecutionStrategy(asked -> recorded(asked, execution));
    }

    /** Runs a command and records the origin of the figures that it has written. */
    private static int recorded(
            CommandLine.ParseResult asked, CommandLine.IExecutionStrategy execution) {
        Instant began = Instant.now();
        int code = execution.execute(asked);
        CommandLine.ParseResult last = asked;
        while (last.subcommand() != null) {
            last = last.subcommand();
        }
        Path out = last.hasMatchedOption("--out") ? last.matchedOptionValue("--out", null) : null;
        if (out == null && last.commandSpec().findOption("--out") != null) {
            out = last.commandSpec().findOption("--out").getValue();
        }
        if (out != null) {
            try {
                MeasuredFiles.record(out, began, checkout(), asked.originalArgs());
            } catch (IOException failed) {
                System.err.println(
                        "cannot record the origin of the figures in " + out + ": " + failed);
            }
        }
        return code;
    }

    /** The folder of the launcher, which is the parent of the product's folder of jars. */
    private static Path checkout() {
        Path jar = Path.of(System.getProperty("petrichor.jar", "cli/target/petrichor.jar"));
        Path target = jar.toAbsolutePath().getParent();
        return target == null ? Path.of("") : target.resolve("../..").normalize();
    }
}
