package petrichor.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests the help, and suggestions for misspelled commands and options. */
final class HelpTest {
    @Test
    void helpCommandAndHelpOptionPrintTheSame() {
        CommandRun help = CommandRun.of("help", "job", "run");
        assertThat(help.code()).isZero();
        assertThat(help.out()).startsWith("Usage: petrichor job run");
        assertThat(help.out()).isEqualTo(CommandRun.of("job", "run", "--help").out());
        assertThat(CommandRun.of("help").out()).isEqualTo(CommandRun.of("--help").out());
    }

    @Test
    void theLaunchersOwnCommandsHaveHelp() {
        assertThat(CommandRun.of("help", "build").out()).contains("Build the program");
        assertThat(CommandRun.of("--help").out()).contains("\n  test ").contains("\n  format ");
    }

    @Test
    void helpOfAnUnknownCommandIsAUsageErrorWithASuggestion() {
        CommandRun help = CommandRun.of("help", "job", "rum");
        assertThat(help.code()).isEqualTo(2);
        assertThat(help.err()).contains("did you mean `petrichor job run`?");
    }

    @Test
    void commandsAreGroupedAndEveryOneIsListedOnce() {
        String text = CommandRun.of("--help").out();
        assertThat(text)
                .containsSubsequence(
                        "Serve:",
                        "  up ",
                        "Data:",
                        "  gql ",
                        "Stores:",
                        "Jobs:",
                        "Tools:",
                        "  version ",
                        "  build ",
                        "  lab ");
        for (String name : Petrichor.commandLine().getSubcommands().keySet()) {
            assertThat(text).containsOnlyOnce("\n  " + name + " ");
        }
    }

    @Test
    void anUnknownCommandWithHelpIsAUsageError() {
        for (String[] words :
                new String[][] {{"exprt", "--help"}, {"job", "shwo", "--help"}, {"exprt"}}) {
            CommandRun run = CommandRun.of(words);
            assertThat(run.code()).as(String.join(" ", words)).isEqualTo(2);
            assertThat(run.out()).isEmpty();
            assertThat(run.err()).contains("there is no command").contains("did you mean");
        }
        assertThat(CommandRun.of("frobnicate").err()).contains("`petrichor --help` lists");
    }

    @Test
    void aMisspelledOptionNamesTheOneThatWasMeant() {
        CommandRun run = CommandRun.of("up", "--prot", "1");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("there is no option --prot; did you mean --port?");
        assertThat(CommandRun.of("export", "--kidn=City").err()).contains("did you mean --kind?");
        assertThat(CommandRun.of("up", "--frobnicate").err())
                .contains("there is no option --frobnicate\n")
                .doesNotContain("did you mean");
    }

    @Test
    void anArgumentTooManyIsNamed() {
        CommandRun run = CommandRun.of("export", "cities.jsonl");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .contains("unexpected argument 'cities.jsonl'")
                .contains("use --output=cities.jsonl");
        assertThat(CommandRun.of("doctor", "port").err())
                .contains("petrichor doctor: unexpected argument 'port'\n");
    }
}
