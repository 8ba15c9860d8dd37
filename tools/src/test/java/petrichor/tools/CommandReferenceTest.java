package petrichor.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import petrichor.cli.Petrichor;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Checks that the command-line reference lists every command and option of the product and of the
 * tools.
 */
class CommandReferenceTest {
    private static final Path REFERENCE = Path.of("..", "docs", "reference", "command-line.md");

    @Test
    void everyCommandAndOptionIsDocumented() throws IOException {
        String text = Files.readString(REFERENCE);
        Set<String> missing = new TreeSet<>();
        collectMissing(Petrichor.commandLine(), text, missing);
        collectMissing(Tools.commandLine(), text, missing);
        assertThat(missing).isEmpty();
        assertThat(Petrichor.commandLine().getSubcommands()).hasSizeGreaterThan(5);
        assertThat(Tools.commandLine().getSubcommands()).containsOnlyKeys("bench", "lab");
    }

    private static void collectMissing(CommandLine line, String text, Set<String> missing) {
        for (CommandLine command : line.getSubcommands().values()) {
            String name = command.getCommandSpec().qualifiedName().substring("petrichor ".length());
            if (!text.contains("`" + name)) {
                missing.add(name);
            }
            for (OptionSpec option : command.getCommandSpec().options()) {
                String longest = option.longestName();
                boolean known =
                        Pattern.compile(Pattern.quote(longest) + "(?![-a-z])").matcher(text).find();
                if (!known && !Set.of("--help", "--version").contains(longest)) {
                    missing.add(name + " " + longest);
                }
            }
            collectMissing(command, text, missing);
        }
    }
}
