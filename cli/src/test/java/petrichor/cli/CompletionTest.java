package petrichor.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;
import petrichor.cli.stores.SampleStore;
import petrichor.server.data.StorePlugins;

/** Tests the completion scripts in their shells. */
final class CompletionTest {
    @TempDir private Path folder;

    @BeforeEach
    void install() throws IOException {
        SampleStore.install(folder.resolve("plugins"));
        System.setProperty(StorePlugins.FOLDER_PROPERTY, folder.resolve("plugins").toString());
    }

    @AfterEach
    void forget() {
        System.clearProperty(StorePlugins.FOLDER_PROPERTY);
    }

    @Test
    void bashCompletesCommandsOptionsStoresAndTheLaunchersWords() throws Exception {
        assertThat(bash("petrichor", "exp")).containsExactly("export");
        assertThat(bash("petrichor", "te")).containsExactly("test");
        assertThat(bash("petrichor", "test", "--res")).containsExactly("--resume");
        assertThat(bash("petrichor", "store", "start", "")).contains("sample");
        assertThat(bash("petrichor", "up", "--store-u")).containsExactly("--store-url");
    }

    private List<String> bash(String... words) throws IOException, InterruptedException {
        Path script = Files.writeString(folder.resolve("script"), completion("bash"));
        StringBuilder list = new StringBuilder();
        for (String word : words) {
            list.append(" '").append(word).append('\'');
        }
        String program =
                "source "
                        + script
                        + "; COMP_WORDS=("
                        + list
                        + "); COMP_CWORD="
                        + (words.length - 1)
                        + "; _complete_petrichor 2>/dev/null; printf '%s\\n' \"${COMPREPLY[@]}\"";
        return output("bash", "-c", program);
    }

    @Test
    void fishListsTheSameWords() {
        String script = completion("fish");
        assertThat(script.lines())
                .anySatisfy(line -> assertThat(line).contains("__petrichor_ends_at'", "-a export"))
                .anySatisfy(line -> assertThat(line).contains("__petrichor_ends_at'", "-a test"))
                .anySatisfy(line -> assertThat(line).contains("_at up'", "-l store-url -r"))
                .anySatisfy(line -> assertThat(line).contains("_at gql'", "-l output", "TABLE"));
        // A quote within a description would end the quoted word.
        assertThat(script.lines().skip(9))
                .allSatisfy(
                        line ->
                                assertThat(
                                                line.replace("\\'", "")
                                                        .chars()
                                                        .filter(c -> c == '\'')
                                                        .count())
                                        .as(line)
                                        .isEven());
    }

    @Test
    void fishCompletesFromTheScript() throws Exception {
        require("fish");
        assertThat(fish("petrichor exp")).containsExactly("export");
        assertThat(fish("petrichor store start ")).contains("sample");
        assertThat(fish("petrichor up --store-u")).containsExactly("--store-url");
        assertThat(fish("petrichor test --res")).containsExactly("--resume");
    }

    /** Only the words; fish prints their descriptions after a tab. */
    private List<String> fish(String line) throws IOException, InterruptedException {
        Path script = Files.writeString(folder.resolve("script"), completion("fish"));
        String program = "source " + script + "; complete --do-complete '" + line + "'";
        return output("fish", "--no-config", "-c", program).stream()
                .map(word -> word.replaceFirst("\t.*", ""))
                .toList();
    }

    @Test
    void zshTakesTheScriptOfBash() throws Exception {
        require("zsh");
        Path script = Files.writeString(folder.resolve("script"), completion("zsh"));
        assertThat(output("zsh", "-f", "-c", "source " + script + "; print $_comps[petrichor]"))
                .last()
                .asString()
                .contains("_complete_petrichor");
        assertThat(CommandRun.of("completion", "tcsh").code()).isEqualTo(2);
    }

    private static void require(String shell) throws InterruptedException {
        try {
            new ProcessBuilder(shell, "-c", "true").start().waitFor();
        } catch (IOException missing) {
            if (System.getenv("CI") != null) {
                throw new AssertionError(shell + " is not installed", missing);
            }
            throw new TestAbortedException("NOT TESTED: " + shell + " is not installed", missing);
        }
    }

    private static String completion(String shell) {
        CommandRun run = CommandRun.of("completion", shell);
        assertThat(run.code()).as(run.err()).isZero();
        return run.out();
    }

    private static List<String> output(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
        return new ArrayList<>(text.lines().map(String::strip).toList());
    }
}
