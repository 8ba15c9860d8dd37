package petrichor.cli.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandRun;

final class ConfigCommandTest {
    @TempDir private Path folder;

    @Test
    void jsonHasNumbersAndFlagsAsSuch() throws IOException {
        JsonObject shown = json("config", "show", "--json", "--port", "0", "--memory");
        assertThat(shown.getAsJsonPrimitive("server.port").isNumber()).isTrue();
        assertThat(shown.get("server.port").getAsInt()).isZero();
        assertThat(shown.getAsJsonPrimitive("store.memory").isBoolean()).isTrue();
        assertThat(shown.get("store.memory").getAsBoolean()).isTrue();
        assertThat(shown.getAsJsonPrimitive("log.level").isString()).isTrue();
        JsonObject port =
                json("config", "show", "--json", "--origin").getAsJsonObject("server.port");
        assertThat(port.getAsJsonPrimitive("value").isNumber()).isTrue();
        assertThat(port.get("origin").getAsString()).isEqualTo("default");
    }

    private JsonObject json(String... words) throws IOException {
        // Not the petrichor.toml of the folder in which the tests run.
        Path empty = folder.resolve("empty.toml");
        if (Files.notExists(empty)) {
            Files.createFile(empty);
        }
        String[] all = java.util.Arrays.copyOf(words, words.length + 2);
        all[words.length] = "--config";
        all[words.length + 1] = empty.toString();
        return JsonParser.parseString(CommandRun.of(all).out()).getAsJsonObject();
    }

    @Test
    void aTextOfDigitsStaysATextInToml() throws IOException {
        Path file = Files.writeString(folder.resolve("p.toml"), "[auth]\n[store]\ndata = \"7\"\n");
        String shown = CommandRun.of("config", "show", "--config", file.toString()).out();
        assertThat(shown).contains("port = 8081\n").contains("/7\"\n");
    }

    @Test
    void initWritesAFileThatChangesNothingAndHasEveryKey() throws IOException {
        Path file = folder.resolve("petrichor.toml");
        assertThat(CommandRun.of("config", "init", file.toString()).code()).isZero();
        assertThat(CommandRun.of("config", "show", "--config", file.toString()).out())
                .isEqualTo(show(Files.createFile(folder.resolve("empty.toml"))));
        String text = Files.readString(file);
        assertThat(text).contains("[server]\n").contains("\n# port = 8081\n");
        Path all = Files.writeString(folder.resolve("all.toml"), uncommented(text));
        assertThat(CommandRun.of("config", "validate", "--config", all.toString()).err())
                .doesNotContain("unknown key");
    }

    private static String show(Path file) {
        return CommandRun.of("config", "show", "--config", file.toString()).out();
    }

    private static String uncommented(String text) {
        return text.replaceAll("(?m)^# ([a-z-]+ = )", "$1");
    }

    @Test
    void initReplacesAFileOnlyWhenForced() throws IOException {
        Path file = Files.writeString(folder.resolve("p.toml"), "precious");
        assertThat(CommandRun.of("config", "init", file.toString()).code()).isEqualTo(3);
        assertThat(file).hasContent("precious");
        assertThat(CommandRun.of("config", "init", file.toString(), "--force").code()).isZero();
        assertThat(Files.readString(file)).contains("[server]");
        assertThat(CommandRun.of("config", "init", "-").out()).contains("[server]");
    }

    @Test
    void validateAndServersAcceptTheSameConfigurations() throws IOException {
        assertThat(validate("[server]\nport = 1\n").out()).startsWith("valid: 1 of ");
        assertThat(validate("[server]\nprot = 1\n").code()).isEqualTo(1);
        assertThat(validate("[server]\nport = \"many\"\n").code()).isEqualTo(1);
        assertThat(validate("[tls]\nkey = \"key.pem\"\n").err()).contains("only one of them");
        CommandRun files = validate("[auth]\ntoken-file = \"none\"\n");
        assertThat(files.code()).isEqualTo(1);
        assertThat(files.err()).contains(folder.resolve("none").toString());
    }

    private CommandRun validate(String toml) throws IOException {
        Path file = Files.writeString(folder.resolve("petrichor.toml"), toml);
        return CommandRun.of("config", "validate", "--config", file.toString());
    }
}
