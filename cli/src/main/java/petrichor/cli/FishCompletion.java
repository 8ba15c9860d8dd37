package petrichor.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Generates a completion script for fish, which picocli does not support. Each word becomes one
 * {@code complete} command.
 */
final class FishCompletion {
    private final String program;
    private final StringBuilder script = new StringBuilder();

    private FishCompletion(String program) {
        this.program = program;
    }

    static String of(String program, CommandLine line) {
        FishCompletion completion = new FishCompletion(program);
        completion.script.append(
                """
                # True when the words before the cursor that are no options begin with these.
                function __petrichor_at
                    set -l words (string match --invert -- '-*' (commandline -opc))[2..]
                    test -z "$argv"; or string match --quiet -- "$argv *" "$words "
                end
                # True when there is no further word, so that a command may follow.
                function __petrichor_ends_at
                    set -l words (string match --invert -- '-*' (commandline -opc))[2..]
                    test "$words" = "$argv"
                end
                """);
        completion.command(line, List.of());
        return completion.script.toString();
    }

    private void command(CommandLine line, List<String> path) {
        CommandSpec spec = line.getCommandSpec();
        String words = String.join(" ", path);
        spec.subcommands()
                .forEach(
                        (name, sub) ->
                                complete(
                                        "__petrichor_ends_at " + words,
                                        "-f -a " + name + description(first(sub))));
        for (OptionSpec option : spec.options()) {
            option(option, "__petrichor_at " + words);
        }
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            List<String> candidates = candidates(parameter);
            if (!candidates.isEmpty()) {
                complete(
                        "__petrichor_ends_at " + words,
                        "-f -a " + quoted(String.join(" ", candidates)));
            }
        }
        spec.subcommands()
                .forEach(
                        (name, sub) -> {
                            List<String> longer = new ArrayList<>(path);
                            longer.add(name);
                            command(sub, longer);
                        });
    }

    private void option(OptionSpec option, String when) {
        StringBuilder what = new StringBuilder();
        for (String name : option.names()) {
            what.append(name.startsWith("--") ? "-l " : "-s ")
                    .append(name.replaceFirst("^-+", ""))
                    .append(' ');
        }
        boolean takesValue = option.arity().max() > 0;
        what.append(takesValue ? "-r" : "-f");
        if (!candidates(option).isEmpty()) {
            what.append(" -f -a ").append(quoted(String.join(" ", candidates(option))));
        }
        String[] description = option.description();
        complete(when, what + description(description.length == 0 ? "" : description[0]));
    }

    private static List<String> candidates(CommandLine.Model.ArgSpec argument) {
        List<String> all = new ArrayList<>();
        if (argument.completionCandidates() != null) {
            argument.completionCandidates().forEach(all::add);
        }
        return all;
    }

    private void complete(String when, String what) {
        script.append("complete -c ")
                .append(program)
                .append(" -n ")
                .append(quoted(when.strip()))
                .append(' ')
                .append(what)
                .append('\n');
    }

    private static String first(CommandLine sub) {
        String[] description = sub.getCommandSpec().usageMessage().description();
        return description.length == 0 ? "" : description[0];
    }

    private static String description(String text) {
        return text.isEmpty() ? "" : " -d " + quoted(text);
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
