package petrichor.cli.serving;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import petrichor.base.TextTable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "cluster",
        mixinStandardHelpOptions = true,
        description = "Show the servers of a cluster, create their certificates.",
        subcommands = {ClusterCommand.Status.class, ClusterCertificatesCommand.class})
public final class ClusterCommand {
    private static final int DATABASES_SHOWN_MAX = 5;

    private ClusterCommand() {}

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "List the live servers and the databases that each owns.")
    static final class Status implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(
                names = "--json",
                description = "Print one server per line, with its databases and their epochs.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonArray servers;
            try (ServerAddress.Connection connection = address.connect(false)) {
                servers =
                        ServerPage.read(
                                        connection.client().address(),
                                        "/petrichor/v1/cluster",
                                        address.token(),
                                        address.tls(),
                                        "its cluster")
                                .getAsJsonArray("servers");
            }
            if (json) {
                servers.forEach(System.out::println);
            } else {
                printTable(servers);
            }
            if (servers.isEmpty()) {
                Terminal.open(false)
                        .say("this server is standalone: it does not belong to a cluster");
            }
            return ExitCode.OK.number();
        }

        private static void printTable(JsonArray servers) {
            TextTable table = new TextTable(System.out);
            for (JsonElement element : servers) {
                JsonObject server = element.getAsJsonObject();
                JsonArray databases = server.getAsJsonArray("databases");
                Map<String, String> row = new LinkedHashMap<>();
                row.put("server", server.get("address").getAsString());
                row.put("since", server.get("started").getAsString());
                row.put("databases", Integer.toString(databases.size()));
                row.put("owns", names(databases));
                table.row(row);
            }
            table.end();
        }

        private static String names(JsonArray databases) {
            StringBuilder names = new StringBuilder();
            for (int i = 0; i < Math.min(databases.size(), DATABASES_SHOWN_MAX); i++) {
                names.append(i == 0 ? "" : ", ");
                names.append(databases.get(i).getAsJsonObject().get("name").getAsString());
            }
            return names + (databases.size() > DATABASES_SHOWN_MAX ? ", ..." : "");
        }
    }
}
