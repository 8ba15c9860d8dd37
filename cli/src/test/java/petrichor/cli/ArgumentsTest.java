package petrichor.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.console.StandardOutput;
import picocli.CommandLine;

/** Tests exit codes that need no server. */
final class ArgumentsTest {
    private static final int NOBODY_LISTENS = 1;

    @Test
    void anInvalidCommandLineIsAUsageError() {
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
    void aUsageErrorDoesNotPrintTheWholeHelp() {
        CommandRun run = CommandRun.of("export", "--outptu", "x");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("--outptu").contains("petrichor export --help");
        assertThat(run.err().lines()).hasSizeLessThan(5);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void optionsThatCannotBeAreUsageErrors() {
        assertThat(quietly("gql", "SELECT * FROM A", "--port", "99999")).isEqualTo(2);
        assertThat(quietly("index", "list", "--port", "0")).isEqualTo(2);
        assertThat(quietly("up", "--port", "99999")).isEqualTo(2);
        assertThat(quietly("up", "--port", "-1")).isEqualTo(2);
        assertThat(quietly("up", "--port", "abc")).isEqualTo(2);
        assertThat(quietly("gql", "SELECT * FROM A", "--bind", "2=x")).isEqualTo(2);
        assertThat(quietly("export", "--read-time", "yesterday")).isEqualTo(2);
        assertThat(quietly("export", "--data", "here", "--port", "1")).isEqualTo(2);
    }

    @Test
    void everyCommandPrintsTheVersion() {
        CommandLine line = Petrichor.commandLine();
        for (String name : line.getSubcommands().keySet()) {
            assertThat(CommandRun.of(name, "--version").out())
                    .as("%s --version", name)
                    .startsWith("petrichor ");
        }
    }

    @Test
    void aFailedWriteToStandardOutputIsAFailure() {
        PrintStream out = System.out;
        try {
            System.setOut(
                    new PrintStream(
                            new Refusing("No space left on device"),
                            false,
                            StandardCharsets.UTF_8));
            assertThat(Petrichor.run("version")).isEqualTo(1);
        } finally {
            System.setOut(out);
        }
    }

    @Test
    void theEndOfTheReaderIsNotReported() {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try {
            System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
            System.setOut(StandardOutput.open(new Refusing("Broken pipe")));
            assertThat(Petrichor.run("version")).isEqualTo(141);
            assertThat(said.toString(StandardCharsets.UTF_8)).isEmpty();
            System.setOut(StandardOutput.open(new Refusing("No space left on device")));
            assertThat(Petrichor.run("version")).isEqualTo(1);
            assertThat(said.toString(StandardCharsets.UTF_8)).contains("is the disk full?");
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    /** A stream whose writes fail. */
    private static final class Refusing extends OutputStream {
        private final String reason;

        private Refusing(String reason) {
            this.reason = reason;
        }

        @Override
        public void write(int one) throws IOException {
            throw new IOException(reason);
        }
    }

    @Test
    void aServerThatIsNotThereIsUnavailable() {
        assertThat(quietly("index", "list", "--port", "" + NOBODY_LISTENS)).isEqualTo(5);

        assertThat(quietly("gql", "SELECT * FROM A", "--port", "" + NOBODY_LISTENS)).isEqualTo(5);
    }

    @Test
    void aHostThatDoesNotExistIsReportedInOneLine() {
        CommandRun run = CommandRun.of("gql", "SELECT * FROM A", "--host", "host.invalid");
        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err()).contains("no answer from host.invalid:8081");
        assertThat(run.err().lines()).as(run.err()).hasSize(1);
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
