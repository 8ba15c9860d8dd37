package petrichor.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLContext;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.movement.DatabaseName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "index",
        mixinStandardHelpOptions = true,
        description = "Shows the composite indexes.",
        subcommands = IndexCommand.ListIndexes.class)
final class IndexCommand {
    private IndexCommand() {}

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {
                "Lists the composite indexes of a database and how far they are.",
                "--output yaml prints them as the index.yaml that would make them."
            })
    static final class ListIndexes implements Callable<Integer> {
        /** How the list looks. */
        enum Output {
            TABLE,
            JSON,
            YAML
        }

        private static final Duration ANSWER_TIME_MAX = Duration.ofSeconds(30);

        @Mixin private ServerAddress address = new ServerAddress();

        @Option(
                names = "--output",
                paramLabel = "FORM",
                description = "table, json (one index per line) or yaml. Default: table")
        private Output output = Output.TABLE;

        @Option(names = "--json", description = "As --output json.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonArray indexes;
            try (ServerAddress.Connection connection = address.connect(false)) {
                indexes = indexes(connection.client().address());
            }
            switch (json ? Output.JSON : output) {
                case TABLE -> printTable(indexes);
                case JSON -> indexes.forEach(System.out::println);
                case YAML -> {
                    System.out.println("indexes:");
                    indexes.forEach(
                            index ->
                                    System.out.print(
                                            index.getAsJsonObject().get("yaml").getAsString()));
                }
            }
            if (indexes.isEmpty()) {
                Terminal.open(false)
                        .say(
                                address.databaseName()
                                        + " has no composite indexes; single properties are always"
                                        + " indexed");
            }
            return ExitCode.OK.number();
        }

        private JsonArray indexes(String server) throws InterruptedException {
            DatabaseName database = address.databaseName();
            SSLContext tls = address.tls();
            URI page =
                    URI.create(
                            (tls == null ? "http://" : "https://")
                                    + server
                                    + "/petrichor/v1/indexes?project="
                                    + encoded(database.project())
                                    + "&database="
                                    + encoded(database.database()));
            HttpRequest.Builder request = HttpRequest.newBuilder(page).timeout(ANSWER_TIME_MAX);
            String token = address.token();
            if (!token.isEmpty()) {
                request.header("Authorization", "Bearer " + token);
            }
            HttpClient.Builder connection =
                    HttpClient.newBuilder()
                            .version(HttpClient.Version.HTTP_1_1)
                            .connectTimeout(ANSWER_TIME_MAX);
            if (tls != null) {
                connection.sslContext(tls);
            }
            try (HttpClient client = connection.build()) {
                HttpResponse<String> answer =
                        client.send(request.build(), HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() != 200) {
                    throw new PetrichorException(
                            answer.statusCode() == 404
                                    ? ErrorCode.UNIMPLEMENTED
                                    : ErrorCode.FAILED_PRECONDITION,
                            server
                                    + " does not list its indexes (HTTP "
                                    + answer.statusCode()
                                    + "): "
                                    + answer.body().strip());
                }
                return JsonParser.parseString(answer.body())
                        .getAsJsonObject()
                        .getAsJsonArray("indexes");
            } catch (IOException | JsonParseException failed) {
                throw new PetrichorException(
                        ErrorCode.UNAVAILABLE,
                        "no answer from "
                                + server
                                + "; is a server running there? `petrichor up` starts one",
                        Map.of("server", server),
                        failed);
            }
        }

        private static String encoded(String text) {
            return URLEncoder.encode(text, StandardCharsets.UTF_8);
        }

        private static void printTable(JsonArray indexes) {
            Table table = new Table(System.out);
            for (JsonElement element : indexes) {
                JsonObject index = element.getAsJsonObject();
                StringBuilder properties = new StringBuilder();
                for (JsonElement property : index.getAsJsonArray("properties")) {
                    JsonObject one = property.getAsJsonObject();
                    properties.append(properties.isEmpty() ? "" : ", ");
                    properties.append(one.get("name").getAsString());
                    properties.append(
                            one.get("direction").getAsString().equals("desc") ? " desc" : "");
                }
                Map<String, String> row = new LinkedHashMap<>();
                row.put("kind", index.get("kind").getAsString());
                row.put("ancestor", index.get("ancestor").getAsBoolean() ? "yes" : "");
                row.put("properties", properties.toString());
                row.put("state", index.get("state").getAsString());
                table.row(row);
            }
            table.end();
        }
    }
}
