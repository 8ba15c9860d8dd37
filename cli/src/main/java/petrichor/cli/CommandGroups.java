package petrichor.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Help;

/**
 * Formats the list of commands in the help: grouped by purpose at the top level, in picocli's
 * default format elsewhere.
 */
final class CommandGroups {
    private static final String REST = "Tools";
    private static final int INDENT = 2;

    private static final Map<String, List<String>> GROUPS = groups();

    /**
     * Commands that the launcher runs without this program. They are listed here for completion and
     * help.
     */
    static final Map<String, String> LAUNCHER = launcher();

    private CommandGroups() {}

    private static Map<String, List<String>> groups() {
        Map<String, List<String>> groups = new LinkedHashMap<>();
        groups.put(
                "Serve",
                List.of(
                        "up",
                        "server",
                        "cluster",
                        "config",
                        "token",
                        "user",
                        "log",
                        "doctor",
                        "support-bundle"));
        groups.put("Apps", List.of("deploy", "app", "scaling"));
        groups.put(
                "Data",
                List.of(
                        "gql",
                        "sql",
                        "export",
                        "import",
                        "backup",
                        "migrate",
                        "upstream",
                        "ring",
                        "replicate",
                        "changes",
                        "tuple",
                        "placement",
                        "index",
                        "database"));
        groups.put("Stores", List.of("store"));
        groups.put("Jobs", List.of("job", "flink"));
        groups.put(REST, List.of("completion", "help", "version"));
        return groups;
    }

    private static Map<String, String> launcher() {
        Map<String, String> commands = new LinkedHashMap<>();
        commands.put("build", "Build the program if sources have changed.");
        commands.put("test", "Run the tests.");
        commands.put("format", "Format the sources.");
        commands.put("jdk", "Print the folder of the JDK in use.");
        commands.put("bench", "Run benchmarks of Petrichor and its peers.");
        commands.put("lab", "Inject faults into servers under load and check every guarantee.");
        return commands;
    }

    static String list(Help help) {
        if (help.commandSpec().parent() != null) {
            return help.commandList();
        }
        Map<String, CommandLine> commands = help.commandSpec().subcommands();
        int width = commands.keySet().stream().mapToInt(String::length).max().orElse(0) + INDENT;
        StringBuilder text = new StringBuilder();
        Set<String> left = new LinkedHashSet<>(commands.keySet());
        GROUPS.values().forEach(left::removeAll);
        GROUPS.forEach(
                (group, names) -> {
                    List<String> all = new ArrayList<>(names);
                    all.addAll(group.equals(REST) ? left : Set.of());
                    heading(text, group);
                    for (String name : all) {
                        CommandLine command = commands.get(name);
                        if (command != null) {
                            row(text, width, name, command.getCommandSpec());
                        }
                    }
                });
        heading(text, "In a source checkout");
        LAUNCHER.forEach((name, what) -> row(text, width, name, what));
        return text.toString();
    }

    private static void heading(StringBuilder text, String group) {
        text.append(String.format("%n%s:%n", group));
    }

    private static void row(
            StringBuilder text, int width, String name, CommandLine.Model.CommandSpec command) {
        String[] description = command.usageMessage().description();
        row(text, width, name, description.length == 0 ? "" : description[0]);
    }

    private static void row(StringBuilder text, int width, String name, String what) {
        text.append(String.format("%s%-" + width + "s%s%n", " ".repeat(INDENT), name, what));
    }
}
