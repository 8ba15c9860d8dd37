package petrichor.cli.tuples;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import petrichor.base.TextTable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "placement",
        mixinStandardHelpOptions = true,
        description = "Recommend placements of collections for their use.",
        subcommands = {
            PlacementCommand.Advise.class,
            PlacementCommand.Explain.class,
            PlacementCommand.Apply.class
        })
public final class PlacementCommand {
    private PlacementCommand() {}

    /** The collection, and for how many nodes it is placed. */
    private static final class Subject {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "COLLECTION", description = "Name of the collection.")
        private String collection = "";

        @Option(
                names = "--nodes",
                defaultValue = "10",
                description =
                        "Nodes among which the rows are divided, 1 to 10,000. Default:"
                                + " ${DEFAULT-VALUE}")
        private int nodes = 10;

        JsonObject body() {
            JsonObject body = new JsonObject();
            body.addProperty("nodes", nodes);
            return body;
        }

        JsonObject advice() throws InterruptedException {
            try (TupleClient client = TupleClient.of(address)) {
                return client.post(collection, "advise", body());
            }
        }
    }

    private static List<JsonObject> objects(JsonObject from, String field) {
        return TupleClient.list(from, field).stream().map(JsonElement::getAsJsonObject).toList();
    }

    /** JSON of protobuf omits zeros. */
    private static double number(JsonObject from, String field) {
        return from.has(field) ? from.get(field).getAsDouble() : 0;
    }

    private static String rounded(JsonObject from, String field) {
        return String.format(Locale.ROOT, "%.1f", number(from, field));
    }

    private static String mark(JsonObject option) {
        return option.has("recommended") ? "recommended" : option.has("current") ? "current" : "";
    }

    private static Map<String, String> row(JsonObject option, JsonObject cost) {
        Map<String, String> row = new LinkedHashMap<>();
        row.put("placement", option.get("text").getAsString());
        row.put("operation", cost.get("operation").getAsString());
        row.put("nodes", rounded(cost, "nodes"));
        row.put("messages", rounded(cost, "messages"));
        row.put("rows read", rounded(cost, "rowsRead"));
        row.put("bytes read", rounded(cost, "bytesRead"));
        row.put("rows written", rounded(cost, "rowsWritten"));
        row.put("bytes written", rounded(cost, "bytesWritten"));
        return row;
    }

    private static void basis(JsonObject advice, Terminal terminal) {
        terminal.say(
                String.format(
                        Locale.ROOT,
                        "%,d of %,d operations and %,d tuples%s, divided among %d nodes",
                        (long) number(advice, "evaluated"),
                        (long) number(advice, "operations"),
                        (long) number(advice, "tuples"),
                        advice.has("complete") ? "" : " of more",
                        (long) number(advice, "nodes")));
        if (advice.has("materialised")) {
            JsonObject copies = advice.getAsJsonObject("materialised");
            terminal.say(
                    String.format(
                            Locale.ROOT,
                            "materialised results, which the application would maintain: about"
                                    + " %.0f results, %.1f copies per tuple, %.0f µs per operation",
                            number(copies, "readers"),
                            number(copies, "copies"),
                            number(copies, "micros")));
        }
        terminal.say(advice.get("text").getAsString());
    }

    @Command(
            name = "advise",
            mixinStandardHelpOptions = true,
            description = {
                "Compare the costs of placements for the sampled operations of a collection.",
                "Each server samples the operations that it serves."
            })
    static final class Advise implements Callable<Integer> {
        @Mixin private Subject subject = new Subject();

        @Option(names = "--json", description = "Print the advice as JSON.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject advice = subject.advice();
            if (json) {
                System.out.println(advice);
                return ExitCode.OK.number();
            }
            TextTable table = TextTable.metrics(System.out);
            for (JsonObject option : objects(advice, "options")) {
                Map<String, String> row = row(option, objects(option, "costs").getLast());
                row.remove("operation");
                row.put("µs", rounded(option, "micros"));
                row.put("", mark(option));
                table.row(row);
            }
            table.end();
            basis(advice, Terminal.open(false));
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "explain",
            mixinStandardHelpOptions = true,
            description = "Show what each kind of operation costs now and in the best placement.")
    static final class Explain implements Callable<Integer> {
        @Mixin private Subject subject = new Subject();

        @Option(names = "--all", description = "Show all placements.")
        private boolean all;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject advice = subject.advice();
            TextTable table = TextTable.metrics(System.out);
            List<JsonObject> options = objects(advice, "options");
            for (JsonObject option : options) {
                if (all || option.equals(options.getFirst()) || option.has("current")) {
                    objects(option, "costs").forEach(cost -> table.row(row(option, cost)));
                }
            }
            table.end();
            basis(advice, Terminal.open(false));
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "apply",
            mixinStandardHelpOptions = true,
            description = "Change the placement of a collection as advised, while it is used.")
    static final class Apply implements Callable<Integer> {
        @Mixin private Subject subject = new Subject();

        @Option(names = "--no-wait", description = "Do not wait for the end of the change.")
        private boolean withoutWait;

        @Override
        public Integer call() throws InterruptedException {
            try (TupleClient client = TupleClient.of(subject.address)) {
                JsonObject changing =
                        client.post(subject.collection, "applyAdvice", subject.body());
                CollectionCommand.report(client, subject.collection, changing, withoutWait);
            }
            return ExitCode.OK.number();
        }
    }
}
