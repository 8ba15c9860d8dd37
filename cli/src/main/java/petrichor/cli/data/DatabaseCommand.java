package petrichor.cli.data;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import petrichor.base.TextTable;
import petrichor.cli.connection.KnownDatabases;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import petrichor.client.DatabaseName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the databases of a server or cluster. */
@Command(
        name = "database",
        mixinStandardHelpOptions = true,
        description = "Show the databases.",
        subcommands = DatabaseCommand.ListDatabases.class)
public final class DatabaseCommand {
    private DatabaseCommand() {}

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the projects and databases of a server or its cluster.")
    static final class ListDatabases implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print one database per line.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            List<DatabaseName> databases;
            try (ServerAddress.Connection connection = address.connect(false)) {
                databases = KnownDatabases.of(connection, address);
            }
            TextTable table = new TextTable(System.out);
            for (DatabaseName name : databases) {
                if (json) {
                    System.out.println(
                            new JsonLine()
                                    .put("project", name.project())
                                    .put("database", name.database()));
                    continue;
                }
                Map<String, String> row = new LinkedHashMap<>();
                row.put("project", name.project());
                row.put("database", name.database().isEmpty() ? "(default)" : name.database());
                table.row(row);
            }
            if (!json) {
                table.end();
            }
            if (databases.isEmpty()) {
                Terminal.open(false).say("there are no databases; the first write creates one");
            }
            return ExitCode.OK.number();
        }
    }
}
