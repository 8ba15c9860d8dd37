package petrichor.cli.data;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.TextTable;
import petrichor.cli.connection.KnownDatabases;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.client.DatabaseName;
import petrichor.movement.backups.BackupTime;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists, branches and drops the databases of a server or cluster. */
@Command(
        name = "database",
        mixinStandardHelpOptions = true,
        description = "Show, branch and drop databases.",
        subcommands = {
            DatabaseCommand.ListDatabases.class,
            DatabaseCommand.BranchDatabase.class,
            DatabaseCommand.DropDatabase.class
        })
public final class DatabaseCommand {
    private static final String PATH = "/petrichor/v1/databases";

    private DatabaseCommand() {}

    private static String shown(String database) {
        return database.isEmpty() ? "(default)" : database;
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {
                "List the projects and databases of a server or its cluster.",
                "Branches are shown with their parent and what they store themselves."
            })
    static final class ListDatabases implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print one database per line.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            List<JsonObject> databases;
            try (ServerAddress.Connection connection = address.connect(false)) {
                databases = KnownDatabases.described(connection, address);
            }
            boolean branches = databases.stream().anyMatch(one -> one.has("parent"));
            TextTable table = new TextTable(System.out);
            for (JsonObject database : databases) {
                if (json) {
                    System.out.println(database);
                } else {
                    table.row(row(database, branches));
                }
            }
            if (!json) {
                table.end();
            }
            if (databases.isEmpty()) {
                Terminal.open(false).say("there are no databases; the first write creates one");
            }
            return ExitCode.OK.number();
        }

        private static Map<String, String> row(JsonObject database, boolean branches) {
            Map<String, String> row = new LinkedHashMap<>();
            row.put("project", database.get("project").getAsString());
            row.put("database", shown(database.get("database").getAsString()));
            if (branches) {
                boolean branch = database.has("parent");
                row.put("branch of", branch ? shown(database.get("parent").getAsString()) : "");
                row.put(
                        "as of",
                        branch ? BackupTime.text(database.get("version").getAsLong()) : "");
                row.put("own size", branch ? size(database) : "");
            }
            return row;
        }

        private static String size(JsonObject database) {
            return String.format(
                    Locale.ROOT,
                    "%s%,d rows, %,d bytes",
                    database.get("complete").getAsBoolean() ? "" : "more than ",
                    database.get("rows").getAsLong(),
                    database.get("bytes").getAsLong());
        }
    }

    @Command(
            name = "branch",
            mixinStandardHelpOptions = true,
            description = {
                "Create a branch of a database, without copying it.",
                "Writes to the branch and to its parent do not affect each other."
            })
    static final class BranchDatabase implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(
                paramLabel = "NAME",
                description = "Database id of the branch, in the project of its parent.")
        private String name = "";

        @Option(
                names = "--at",
                paramLabel = "TIME",
                description =
                        "Time of the data, such as 2026-11-28T05:00:00Z, or a version. Default:"
                                + " now")
        private @Nullable String at;

        @Option(names = "--json", description = "Print the branch as one line of JSON.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            DatabaseName parent = address.databaseName();
            JsonObject request = address.request("branch");
            request.addProperty("name", name);
            if (at != null) {
                request.addProperty("version", String.valueOf(BackupTime.parse(at)));
            }
            JsonObject made = address.change(PATH, request);
            if (json) {
                System.out.println(made);
            } else {
                System.out.println(
                        "created "
                                + new DatabaseName(parent.project(), name)
                                + ", a branch of "
                                + parent
                                + " as of "
                                + BackupTime.text(made.get("version").getAsLong()));
            }
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "drop",
            mixinStandardHelpOptions = true,
            description = "Drop a branch and everything written to it.")
    static final class DropDatabase implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "NAME", description = "Database id of the branch.")
        private String name = "";

        @Option(
                names = "--force",
                description = "Drop the database even if it is not a branch, with all its data.")
        private boolean force;

        @Option(names = "--json", description = "Print the dropped database as one line of JSON.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            DatabaseName dropped = new DatabaseName(address.databaseName().project(), name);
            JsonObject request = new JsonObject();
            request.addProperty("action", "drop");
            request.addProperty("project", dropped.project());
            request.addProperty("database", dropped.database());
            request.addProperty("force", force);
            JsonObject answer = address.change(PATH, request);
            System.out.println(json ? answer : "dropped " + dropped);
            return ExitCode.OK.number();
        }
    }
}
