package petrichor.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the exit code says, without any server. */
final class ArgumentsTest {
    private static final int NOBODY_LISTENS = 1;

    @Test
    void aWrongCommandLineIsAUsageError() {
        assertThat(quietly("gql")).isEqualTo(2);
        assertThat(quietly("exprt")).isEqualTo(2);
        assertThat(quietly("gql", "SELECT * FROM A", "--output", "xml")).isEqualTo(2);
    }

    @Test
    void everyCommandHasHelp() {
        CommandLine line = Petrichor.commandLine();
        assertThat(line.getSubcommands().keySet())
                .contains("up", "export", "import", "gql", "config", "version", "completion");
        line.getSubcommands()
                .forEach(
                        (name, _) ->
                                assertThat(quietly(name, "--help")).as("%s --help", name).isZero());
    }

    @Test
    void aServerThatIsNotThereIsUnavailable() {
        assertThat(quietly("gql", "SELECT * FROM A", "--port", "" + NOBODY_LISTENS)).isEqualTo(5);
    }

    @Test
    void aFolderWithoutDataIsNotFound(@TempDir Path folder) {
        assertThat(quietly("gql", "SELECT * FROM A", "--data", folder.toString())).isEqualTo(4);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aFileThatIsThereIsNotOverwritten(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("out.jsonl"), "precious");
        assertThat(quietly("export", "-o", file.toString(), "--port", "" + NOBODY_LISTENS))
                .isEqualTo(3);
        assertThat(file).hasContent("precious");
    }

    @Test
    void aFileThatIsNotThereIsNotFound(@TempDir Path folder) {
        assertThat(quietly("import", folder.resolve("none.jsonl").toString())).isEqualTo(4);
    }

    @Test
    void anUnknownKeyOfTheConfigurationFailsAndNamesTheNearest(@TempDir Path folder)
            throws Exception {
        Path file = Files.writeString(folder.resolve("p.toml"), "[server]\nprot = 1\n");
        assertThat(quietly("config", "show", "--config", file.toString())).isEqualTo(1);
    }

    private static int quietly(String... arguments) {
        return Petrichor.commandLine()
                .setErr(new PrintWriter(new StringWriter()))
                .setOut(new PrintWriter(new StringWriter()))
                .execute(arguments);
    }
}
