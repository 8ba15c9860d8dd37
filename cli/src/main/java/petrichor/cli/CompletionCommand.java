package petrichor.cli;

import java.util.concurrent.Callable;
import petrichor.cli.console.ExitCode;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = {
            "Print a completion script for bash, zsh or fish.",
            "For this shell:  source <(petrichor completion)",
            "In fish:  petrichor completion fish | source"
        })
final class CompletionCommand implements Callable<Integer> {
    /** Shells with a completion script. */
    enum Shell {
        BASH,
        /** Uses bash's script: it loads zsh's emulation of bash's completion. */
        ZSH,
        FISH
    }

    @Parameters(
            paramLabel = "SHELL",
            arity = "0..1",
            description = "bash, zsh or fish. Default: bash, which also works in zsh")
    private Shell shell = Shell.BASH;

    @Override
    public Integer call() {
        CommandLine line = withTheLaunchersCommands();
        System.out.print(
                switch (shell) {
                    case BASH, ZSH -> AutoComplete.bash("petrichor", line);
                    case FISH -> FishCompletion.of("petrichor", line);
                });
        return ExitCode.OK.number();
    }

    private static CommandLine withTheLaunchersCommands() {
        CommandLine line = Petrichor.commandLine();
        line.addSubcommand("build", CommandSpec.create().name("build"));
        line.addSubcommand("format", CommandSpec.create().name("format"));
        line.addSubcommand("jdk", CommandSpec.create().name("jdk"));
        CommandSpec test = CommandSpec.create().name("test");
        for (String flag :
                new String[] {"--all", "--list", "--resume", "--load", "--offline", "--help"}) {
            test.addOption(OptionSpec.builder(flag).type(boolean.class).build());
        }
        for (String value : new String[] {"--only", "--repeat"}) {
            test.addOption(OptionSpec.builder(value).type(String.class).build());
        }
        line.addSubcommand("test", test);
        return line;
    }
}
