package petrichor.cli.backups;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.TextTable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.client.DatabaseName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Manages the backups that a server makes by itself. */
@Command(
        name = "schedule",
        mixinStandardHelpOptions = true,
        description = "Manage the backups that the server makes.",
        subcommands = {
            BackupScheduleCommand.SetSchedule.class,
            BackupScheduleCommand.Show.class,
            BackupScheduleCommand.Remove.class
        })
final class BackupScheduleCommand {
    private static final String PAGE = "/petrichor/v1/backup-schedules";
    private static final String DEFAULT_NAME = "default";

    private BackupScheduleCommand() {}

    private static JsonObject send(ServerAddress address, JsonObject change)
            throws InterruptedException {
        return address.change(PAGE, change);
    }

    @Command(
            name = "set",
            mixinStandardHelpOptions = true,
            description = {
                "Add or replace a schedule, and run it now.",
                "One server of a cluster runs it."
            })
    static final class SetSchedule implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(
                paramLabel = "PLACE",
                description =
                        "Folder as the server sees it, in its store.export-folder,"
                                + " s3://BUCKET/PREFIX?region=REGION&endpoint=URL, or"
                                + " gs://BUCKET/PREFIX?endpoint=URL.")
        private String place = "";

        @Option(names = "--name", description = "Name of the schedule. Default: default")
        private String name = DEFAULT_NAME;

        @Option(
                names = "--every",
                paramLabel = "SCHEDULE",
                description =
                        "When, in UTC and as in cron.yaml, such as \"every day 03:00\". Default:"
                                + " every 1 hours")
        private String every = "every 1 hours";

        @Option(names = "--all", description = "Back up every database of the server.")
        private boolean all;

        @Option(
                names = "--full-days",
                paramLabel = "DAYS",
                description = "Days after which a backup is full again. Default: 7")
        private int fullDays = 7;

        @Option(
                names = "--keep-full",
                paramLabel = "N",
                description =
                        "Keep at least this many full backups of each database, and the log after"
                                + " them. Default: 2")
        private int keepFull = 2;

        @Option(
                names = "--keep-days",
                paramLabel = "DAYS",
                description = "Keep what restores any time of the last days. Default: 0")
        private int keepDays;

        @Option(
                names = "--drill",
                description = "Restore each full backup into a scratch database, and compare.")
        private boolean drill;

        @Option(
                names = "--key-file",
                paramLabel = "FILE",
                description = "File of the server with the key; see backup key.")
        private @Nullable Path keyFile;

        @Option(names = "--json", description = "Print all schedules as JSON.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject set = new JsonObject();
            set.addProperty("action", "set");
            set.addProperty("name", name);
            set.addProperty("place", place);
            set.addProperty("every", every);
            JsonArray databases = new JsonArray();
            if (!all) {
                DatabaseName one = address.databaseName();
                databases.add(
                        one.database().isEmpty()
                                ? one.project()
                                : one.project() + "/" + one.database());
            }
            set.add("databases", databases);
            set.addProperty("fullDays", fullDays);
            set.addProperty("keepFull", keepFull);
            set.addProperty("keepDays", keepDays);
            set.addProperty("drill", drill);
            if (keyFile != null) {
                set.addProperty("keyFile", keyFile.toString());
            }
            JsonObject answer = send(address, set);
            if (json) {
                System.out.println(answer);
            } else {
                Terminal.open(false)
                        .say(
                                "set \""
                                        + name
                                        + "\"; the first backup starts now, see backup schedule"
                                        + " show");
            }
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = {
                "Show schedules, their last backup and their next.",
                "Exits with 1 if the last backup of one failed."
            })
    static final class Show implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print one schedule per line.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            TextTable table = new TextTable(System.out);
            boolean failing = false;
            try (ServerAddress.Connection connection = address.connect(false)) {
                JsonObject answer =
                        ServerPage.read(
                                connection.client().address(),
                                PAGE,
                                address.token(),
                                address.tls(),
                                "backup schedules");
                for (JsonElement element : answer.getAsJsonArray("schedules")) {
                    JsonObject one = element.getAsJsonObject();
                    failing |= !one.get("lastError").getAsString().isEmpty();
                    if (json) {
                        System.out.println(one);
                    } else {
                        table.row(row(one));
                    }
                }
            }
            if (!json) {
                table.end();
            }
            return (failing ? ExitCode.FAILURE : ExitCode.OK).number();
        }

        private static Map<String, String> row(JsonObject one) {
            Map<String, String> row = new LinkedHashMap<>();
            row.put("name", one.get("name").getAsString());
            row.put("every", one.get("every").getAsString());
            row.put("place", one.get("place").getAsString());
            row.put("last good", one.has("lastGood") ? one.get("lastGood").getAsString() : "never");
            row.put("ms", one.get("lastMilliseconds").getAsString());
            row.put(
                    "next",
                    one.get("running").getAsBoolean() ? "running" : one.get("next").getAsString());
            row.put("error", one.get("lastError").getAsString());
            return row;
        }
    }

    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = "Remove a schedule; its backups stay.")
    static final class Remove implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--name", description = "Name of the schedule. Default: default")
        private String name = DEFAULT_NAME;

        @Option(names = "--json", description = "Print the remaining schedules as JSON.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject remove = new JsonObject();
            remove.addProperty("action", "remove");
            remove.addProperty("name", name);
            JsonObject answer = send(address, remove);
            if (json) {
                System.out.println(answer);
            } else {
                Terminal.open(false).say("removed \"" + name + "\"; its backups stay");
            }
            return ExitCode.OK.number();
        }
    }
}
