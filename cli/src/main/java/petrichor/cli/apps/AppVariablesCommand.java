package petrichor.cli.apps;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands {@code app env} and {@code app secret}. */
final class AppVariablesCommand {
    private static final Duration TIME_MAX = Duration.ofMinutes(30);

    /** Of UTF-8; the server checks the characters. */
    private static final int SECRET_BYTES_MAX = 128 << 10;

    private AppVariablesCommand() {}

    /** An app on a server. */
    static final class AppChoice {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(index = "0", paramLabel = "APP", description = "Project of the app.")
        private String app = "";

        private String page() {
            return AppCommand.page(app) + "/variables";
        }

        JsonObject read() throws InterruptedException {
            return AppCommand.read(address, page());
        }

        /** Waits until the instances are replaced. */
        int change(String kind, Map<String, String> set, List<String> unset)
                throws InterruptedException {
            JsonObject values = new JsonObject();
            set.forEach(values::addProperty);
            JsonArray names = new JsonArray();
            unset.forEach(names::add);
            JsonObject change = new JsonObject();
            change.addProperty("kind", kind);
            change.add("set", values);
            change.add("unset", names);
            try (ServerAddress.Connection connection = address.connect(false)) {
                String server = connection.client().address();
                HttpRequest request =
                        ServerPage.request(server, page(), address.token(), address.tls())
                                .timeout(TIME_MAX)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(change.toString()))
                                .build();
                try (HttpClient client = ServerPage.client(address.tls())) {
                    HttpResponse<Stream<String>> answer =
                            client.send(request, HttpResponse.BodyHandlers.ofLines());
                    JsonObject _ = new DeploymentProgress(server, "changed", false).follow(answer);
                } catch (IOException failed) {
                    throw ServerPage.noAnswer(server, failed);
                }
            }
            List<String> done = new ArrayList<>();
            set.keySet().forEach(name -> done.add("set " + name));
            unset.forEach(name -> done.add("unset " + name));
            System.out.println(String.join(", ", done));
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "env",
            mixinStandardHelpOptions = true,
            description = "Manage environment variables of an app.",
            subcommands = {ListEnv.class, SetEnv.class, UnsetEnv.class})
    static final class Env {}

    @Command(
            name = "secret",
            mixinStandardHelpOptions = true,
            description = "Manage secret environment variables of an app.",
            subcommands = {ListSecrets.class, SetSecret.class, UnsetSecrets.class})
    static final class Secret {}

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the variables of an app with their values.")
    static final class ListEnv implements Callable<Integer> {
        @Mixin private AppChoice choice = new AppChoice();

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject variables = choice.read().getAsJsonObject("variables");
            if (json) {
                System.out.println(variables);
            } else {
                for (Map.Entry<String, JsonElement> each : variables.entrySet()) {
                    System.out.println(each.getKey() + "=" + each.getValue().getAsString());
                }
            }
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "set",
            mixinStandardHelpOptions = true,
            description = "Set variables and replace the app's instances.")
    static final class SetEnv implements Callable<Integer> {
        @Mixin private AppChoice choice = new AppChoice();

        @Parameters(
                index = "1..*",
                arity = "1..*",
                paramLabel = "NAME=VALUE",
                description = "Variables, such as GREETING=hello.")
        private Map<String, String> variables = new TreeMap<>();

        @Override
        public Integer call() throws InterruptedException {
            return choice.change("plain", variables, List.of());
        }
    }

    @Command(
            name = "unset",
            mixinStandardHelpOptions = true,
            description = "Remove variables and replace the app's instances.")
    static final class UnsetEnv implements Callable<Integer> {
        @Mixin private AppChoice choice = new AppChoice();

        @Parameters(
                index = "1..*",
                arity = "1..*",
                paramLabel = "NAME",
                description = "Names of variables.")
        private List<String> names = new ArrayList<>();

        @Override
        public Integer call() throws InterruptedException {
            return choice.change("plain", Map.of(), names);
        }
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the names of an app's secrets.")
    static final class ListSecrets implements Callable<Integer> {
        @Mixin private AppChoice choice = new AppChoice();

        @Option(names = "--json", description = "Print one JSON list.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonArray secrets = choice.read().getAsJsonArray("secrets");
            if (json) {
                System.out.println(secrets);
            } else {
                secrets.forEach(name -> System.out.println(name.getAsString()));
            }
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "set",
            mixinStandardHelpOptions = true,
            description = "Set a secret and replace the app's instances.")
    static final class SetSecret implements Callable<Integer> {
        @Mixin private AppChoice choice = new AppChoice();

        @Parameters(index = "1", paramLabel = "NAME", description = "Name of the secret.")
        private String name = "";

        @Option(
                names = "--file",
                paramLabel = "FILE",
                description = "File with the value. Default: standard input")
        private @Nullable Path file;

        @Override
        public Integer call() throws InterruptedException, IOException {
            if (name.contains("=")) {
                // Arguments are visible to other users, and kept in the history of shells.
                throw PetrichorException.invalid(
                        "name only the secret; its value is read from standard input, or from"
                                + " --file");
            }
            return choice.change("secret", Map.of(name, value(file)), List.of());
        }
    }

    @Command(
            name = "unset",
            mixinStandardHelpOptions = true,
            description = "Remove secrets and replace the app's instances.")
    static final class UnsetSecrets implements Callable<Integer> {
        @Mixin private AppChoice choice = new AppChoice();

        @Parameters(
                index = "1..*",
                arity = "1..*",
                paramLabel = "NAME",
                description = "Names of secrets.")
        private List<String> names = new ArrayList<>();

        @Override
        public Integer call() throws InterruptedException {
            return choice.change("secret", Map.of(), names);
        }
    }

    /** Of a file, of the terminal without echo, or of standard input; without the last newline. */
    private static String value(@Nullable Path file) throws IOException {
        Optional<Console> terminal =
                Optional.ofNullable(System.console()).filter(Console::isTerminal);
        if (file == null && terminal.isPresent()) {
            char[] typed = terminal.get().readPassword("Value: ");
            return typed == null ? "" : new String(typed);
        }
        byte[] bytes;
        if (file == null) {
            bytes = System.in.readNBytes(SECRET_BYTES_MAX + 1);
        } else {
            try (InputStream in = Files.newInputStream(file)) {
                bytes = in.readNBytes(SECRET_BYTES_MAX + 1);
            } catch (IOException e) {
                throw FileProblem.of("cannot read " + file, e);
            }
        }
        if (bytes.length > SECRET_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "a secret has at most {bytesMax} bytes", "bytesMax", SECRET_BYTES_MAX);
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }
}
