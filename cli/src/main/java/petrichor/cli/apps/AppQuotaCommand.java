package petrichor.cli.apps;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import petrichor.base.TextTable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands {@code app quota}. */
@Command(
        name = "quota",
        mixinStandardHelpOptions = true,
        description = "Manage quotas of an app.",
        subcommands = {
            AppQuotaCommand.Show.class,
            AppQuotaCommand.SetQuotas.class,
            AppQuotaCommand.Reset.class
        })
final class AppQuotaCommand {
    private AppQuotaCommand() {}

    /** An app, and the form of the output. */
    static final class Choice {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(index = "0", paramLabel = "APP", description = "Project of the app.")
        private String app = "";

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        private String page() {
            return AppCommand.page(app) + "/quotas";
        }

        int show() throws InterruptedException {
            return print(AppCommand.read(address, page()));
        }

        int change(Map<String, String> set, List<String> reset) throws InterruptedException {
            JsonObject values = new JsonObject();
            set.forEach(values::addProperty);
            JsonArray names = new JsonArray();
            reset.forEach(names::add);
            JsonObject change = new JsonObject();
            change.add("set", values);
            change.add("reset", names);
            return print(AppCommand.change(address, page(), change));
        }

        private int print(JsonObject answer) {
            if (json) {
                System.out.println(answer);
                return ExitCode.OK.number();
            }
            TextTable table = TextTable.uncut(System.out);
            for (JsonElement each : answer.getAsJsonArray("quotas")) {
                JsonObject quota = each.getAsJsonObject();
                table.row(
                        "QUOTA",
                        quota.get("quota").getAsString(),
                        "LIMIT",
                        quota.get("text").getAsString(),
                        "FROM",
                        quota.get("from").getAsString(),
                        "USED",
                        quota.has("usageText") ? quota.get("usageText").getAsString() : "",
                        "REFUSED",
                        quota.get("refused").getAsString());
            }
            table.end();
            return ExitCode.OK.number();
        }

        List<String> names() throws InterruptedException {
            List<String> names = new ArrayList<>();
            for (JsonElement each : AppCommand.read(address, page()).getAsJsonArray("quotas")) {
                names.add(each.getAsJsonObject().get("quota").getAsString());
            }
            return names;
        }
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Show the quotas of an app and their usage.")
    static final class Show implements Callable<Integer> {
        @Mixin private Choice choice = new Choice();

        @Override
        public Integer call() throws InterruptedException {
            return choice.show();
        }
    }

    @Command(name = "set", mixinStandardHelpOptions = true, description = "Set quotas of an app.")
    static final class SetQuotas implements Callable<Integer> {
        @Mixin private Choice choice = new Choice();

        @Parameters(
                index = "1..*",
                arity = "1..*",
                paramLabel = "QUOTA=VALUE",
                description = "Quotas, such as requests=6000/min storage=2GiB instances=unlimited.")
        private Map<String, String> quotas = new TreeMap<>();

        @Override
        public Integer call() throws InterruptedException {
            return choice.change(quotas, List.of());
        }
    }

    @Command(
            name = "reset",
            mixinStandardHelpOptions = true,
            description = "Return quotas of an app to the server's defaults.")
    static final class Reset implements Callable<Integer> {
        @Mixin private Choice choice = new Choice();

        @Parameters(
                index = "1..*",
                arity = "0..*",
                paramLabel = "QUOTA",
                description = "Names of quotas. Default: all")
        private List<String> quotas = new ArrayList<>();

        @Override
        public Integer call() throws InterruptedException {
            return choice.change(Map.of(), quotas.isEmpty() ? choice.names() : quotas);
        }
    }
}
