package petrichor.cli;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the same text as {@code COMMAND --help}. */
@Command(
        name = "help",
        mixinStandardHelpOptions = true,
        description = "Show the help of a command, such as `help job run`.")
final class HelpCommand implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "COMMAND",
            arity = "0..*",
            description = "The command, such as job run.")
    private List<String> words = List.of();

    @Override
    public Integer call() {
        CommandLine command = Objects.requireNonNull(spec.parent()).commandLine();
        Optional<String> launcher = words.stream().findFirst().map(CommandGroups.LAUNCHER::get);
        if (launcher.isPresent()) {
            System.out.println("petrichor " + words.getFirst() + ": " + launcher.get());
            return ExitCode.OK.number();
        }
        for (String word : words) {
            CommandLine sub = command.getSubcommands().get(word);
            if (sub == null) {
                throw new ParameterException(
                        spec.commandLine(), UnknownNames.unknown(command, word));
            }
            command = sub;
        }
        command.usage(System.out);
        return ExitCode.OK.number();
    }
}
