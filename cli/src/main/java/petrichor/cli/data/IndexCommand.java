package petrichor.cli.data;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import petrichor.base.TextTable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.client.DatabaseName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "index",
        mixinStandardHelpOptions = true,
        description = "Show the composite indexes.",
        subcommands = IndexCommand.ListIndexes.class)
public final class IndexCommand {
    private IndexCommand() {}

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {
                "List the composite indexes of a database and their states.",
                "--output yaml prints an index.yaml that declares them."
            })
    static final class ListIndexes implements Callable<Integer> {
        /** Output format of the list. */
        enum Output {
            TABLE,
            JSON,
            YAML
        }

        @Mixin private ServerAddress address = new ServerAddress();

        @Option(
                names = "--output",
                paramLabel = "FORM",
                description = "table, json (one index per line) or yaml. Default: table")
        private Output output = Output.TABLE;

        @Option(names = "--json", description = "Same as --output json.")
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
            String page =
                    "/petrichor/v1/indexes?project="
                            + encoded(database.project())
                            + "&database="
                            + encoded(database.database());
            return ServerPage.read(server, page, address.token(), address.tls(), "its indexes")
                    .getAsJsonArray("indexes");
        }

        private static String encoded(String text) {
            return URLEncoder.encode(text, StandardCharsets.UTF_8);
        }

        private static void printTable(JsonArray indexes) {
            TextTable table = new TextTable(System.out);
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
