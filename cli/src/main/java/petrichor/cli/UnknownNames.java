package petrichor.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.base.NearestName;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Suggests corrections for misspelled commands and options. */
final class UnknownNames {
    private UnknownNames() {}

    /**
     * The error message if one of the leading words should be a command but is not. Without this
     * check, a following {@code --help} would print the help of the parent command and succeed.
     */
    static Optional<String> inCommands(CommandLine top, String... words) {
        CommandLine command = top;
        for (String word : words) {
            CommandLine sub = command.getSubcommands().get(word);
            boolean none = command.getSubcommands().isEmpty();
            if (none || word.startsWith("-")) {
                return Optional.empty();
            }
            if (sub == null && !command.getCommandSpec().positionalParameters().isEmpty()) {
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

    /** Empty unless the error is an unknown option or an extra argument. */
    static Optional<String> inArguments(ParameterException wrong) {
        if (!(wrong instanceof UnmatchedArgumentException unmatched)) {
            return Optional.empty();
        }
        String first = unmatched.getUnmatched().getFirst();
        return Optional.of(first.startsWith("-") ? option(wrong, first) : argument(wrong, first));
    }

    private static String argument(ParameterException wrong, String given) {
        CommandSpec command = wrong.getCommandLine().getCommandSpec();
        String unexpected = "unexpected argument '" + given + "'";
        return command.findOption("--output") != null && command.positionalParameters().isEmpty()
                ? unexpected + "; to write to that file, use --output=" + given
                : unexpected;
    }

    private static String option(ParameterException wrong, String first) {
        String given = first.replaceFirst("=.*", "");
        List<String> names = new ArrayList<>();
        for (OptionSpec option : wrong.getCommandLine().getCommandSpec().options()) {
            names.addAll(List.of(option.names()));
        }
        String unknown = "there is no option " + given;
        return NearestName.closeTo(given, names)
                .map(near -> unknown + "; did you mean " + near + "?")
                .orElse(unknown);
    }
}
