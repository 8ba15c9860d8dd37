package petrichor.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.base.NearestName;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Misspelled commands and options, and what was probably meant. */
final class UnknownNames {
    private UnknownNames() {}

    /**
     * What to answer if one of the leading words should be a command and is none. Without this,
     * {@code --help} behind it would print the help of the command above it and succeed.
     */
    static Optional<String> inCommands(CommandLine top, String... words) {
        CommandLine command = top;
        for (String word : words) {
            CommandLine sub = command.getSubcommands().get(word);
            boolean none = command.getSubcommands().isEmpty();
            if (none || word.startsWith("-")) {
                return Optional.empty();
            }
            if (sub == null && command.equals(top) && CommandGroups.LAUNCHER.containsKey(word)) {
                return Optional.of(
                        "`petrichor "
                                + word
                                + "` belongs to a source checkout: use the launcher in its"
                                + " top folder");
            }
            if (sub == null) {
                return Optional.of(unknown(command, word));
            }
            command = sub;
        }
        return Optional.empty();
    }

    static String unknown(CommandLine command, String word) {
        String name = command.getCommandSpec().qualifiedName();
        return "there is no command `"
                + name
                + " "
                + word
                + "`; "
                + NearestName.closeTo(word, command.getSubcommands().keySet())
                        .map(near -> "did you mean `" + name + " " + near + "`?")
                        .orElse("`" + name + " --help` lists the commands");
    }

    /** Empty if what is wrong is not the name of an option. */
    static Optional<String> inOptions(ParameterException wrong) {
        if (!(wrong instanceof UnmatchedArgumentException unmatched)
                || !unmatched.getUnmatched().getFirst().startsWith("-")) {
            return Optional.empty();
        }
        String given = unmatched.getUnmatched().getFirst().replaceFirst("=.*", "");
        List<String> names = new ArrayList<>();
        for (OptionSpec option : wrong.getCommandLine().getCommandSpec().options()) {
            names.addAll(List.of(option.names()));
        }
        String unknown = "there is no option " + given;
        return Optional.of(
                NearestName.closeTo(given, names)
                        .map(near -> unknown + "; did you mean " + near + "?")
                        .orElse(unknown));
    }
}
