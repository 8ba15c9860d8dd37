package petrichor.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = {
            "Prints a completion script for bash and zsh.",
            "For this shell:  source <(petrichor completion)"
        })
final class CompletionCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        System.out.print(AutoComplete.bash("petrichor", Petrichor.commandLine()));
        return ExitCode.OK.number();
    }
}
