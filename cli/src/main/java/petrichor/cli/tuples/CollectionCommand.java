package petrichor.cli.tuples;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TextTable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "collection",
        mixinStandardHelpOptions = true,
        description = "Manage the collections of tuples and their placements.",
        subcommands = {
            CollectionCommand.ListCollections.class,
            CollectionCommand.Create.class,
            CollectionCommand.Drop.class,
            CollectionCommand.Place.class,
            CollectionCommand.Assign.class
        })
final class CollectionCommand {
    private static final Duration POLL_EVERY = Duration.ofMillis(200);

    private CollectionCommand() {}

    /** Waits for the end of a change of a placement, and reports it. */
    static void report(TupleClient client, String name, JsonObject changing, boolean withoutWait)
            throws InterruptedException {
        JsonObject now = changing;
        while (!withoutWait && now.has("nextPlacement")) {
            Thread.sleep(POLL_EVERY);
            now = client.get(name);
        }
        if (now.has("failure")) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the placement of {collection} was not changed: {reason}",
                    "collection",
                    name,
                    "reason",
                    now.get("failure").getAsString());
        }
        Terminal.open(false)
                .say(
                        withoutWait
                                ? "the placement of " + name + " changes"
                                : "the placement of "
                                        + name
                                        + " is "
                                        + placement(now, "placement"));
    }

    static String placement(JsonObject collection, String field) {
        if (!collection.has(field)) {
            return "";
        }
        Map.Entry<String, JsonElement> strategy =
                collection.getAsJsonObject(field).entrySet().iterator().next();
        JsonObject fields = strategy.getValue().getAsJsonObject();
        return fields.isEmpty() ? strategy.getKey() : strategy.getKey() + " " + fields;
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the collections and their placements.")
    static final class ListCollections implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print one collection per line.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject all;
            try (TupleClient client = TupleClient.of(address)) {
                all = client.get("");
            }
            TextTable table = new TextTable(System.out);
            for (JsonElement element : TupleClient.list(all, "collections")) {
                JsonObject collection = element.getAsJsonObject();
                if (json) {
                    System.out.println(collection);
                    continue;
                }
                Map<String, String> row = new LinkedHashMap<>();
                row.put("collection", collection.get("name").getAsString());
                row.put("placement", placement(collection, "placement"));
                row.put("changes to", placement(collection, "nextPlacement"));
                table.row(row);
            }
            if (!json) {
                table.end();
            }
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = "Create a collection. The default placement is random.")
    static final class Create implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "NAME", description = "Name of the collection.")
        private String name = "";

        @Mixin private PlacementOptions placement = new PlacementOptions();

        @Option(names = "--no-tag-index", description = "Write no index entries of tags.")
        private boolean withoutTagIndex;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject body = new JsonObject();
            body.addProperty("name", name);
            body.addProperty("withoutTagIndex", withoutTagIndex);
            if (placement.isGiven()) {
                body.add("placement", placement.json());
            }
            try (TupleClient client = TupleClient.of(address)) {
                var _ = client.post("", "", body);
            }
            Terminal.open(false).say("created the collection " + name);
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "drop",
            mixinStandardHelpOptions = true,
            description = "Drop a collection with its tuples.")
    static final class Drop implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "NAME", description = "Name of the collection.")
        private String name = "";

        @Override
        public Integer call() throws InterruptedException {
            try (TupleClient client = TupleClient.of(address)) {
                var _ = client.drop(name);
            }
            Terminal.open(false).say("dropped the collection " + name);
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "place",
            mixinStandardHelpOptions = true,
            description = {
                "Change the placement of a collection while it is used.",
                "The same placement again applies assigned groups and new quantiles of tags."
            })
    static final class Place implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "NAME", description = "Name of the collection.")
        private String name = "";

        @Mixin private PlacementOptions placement = new PlacementOptions();

        @Option(names = "--cancel", description = "Cancel the change that is in progress.")
        private boolean cancel;

        @Option(names = "--no-wait", description = "Do not wait for the end of the change.")
        private boolean withoutWait;

        @Override
        public Integer call() throws InterruptedException {
            try (TupleClient client = TupleClient.of(address)) {
                if (cancel) {
                    var _ = client.post(name, "cancelPlacement", new JsonObject());
                    Terminal.open(false).say("the placement of " + name + " stays as it is");
                    return ExitCode.OK.number();
                }
                JsonObject body = new JsonObject();
                body.add("placement", placement.json());
                report(client, name, client.post(name, "place", body), withoutWait);
            }
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "assign",
            mixinStandardHelpOptions = true,
            description = "Assign groups to affinity keys.")
    static final class Assign implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Spec private @Nullable CommandSpec command;

        @Parameters(index = "0", paramLabel = "NAME", description = "Name of the collection.")
        private String name = "";

        @Parameters(
                index = "1..*",
                arity = "1..*",
                paramLabel = "KEY=GROUP",
                description = "Affinity keys and numbers of groups.")
        private List<String> assignments = new ArrayList<>();

        @Override
        public Integer call() throws InterruptedException {
            JsonObject groups = new JsonObject();
            for (String assignment : assignments) {
                int equals = assignment.lastIndexOf('=');
                String group = assignment.substring(equals + 1);
                if (equals <= 0 || !group.matches("\\d{1,9}")) {
                    if (command == null) {
                        throw new IllegalStateException("no command");
                    }
                    throw new ParameterException(
                            command.commandLine(), assignment + " is not KEY=GROUP");
                }
                groups.addProperty(assignment.substring(0, equals), Integer.parseInt(group));
            }
            JsonObject body = new JsonObject();
            body.add("groups", groups);
            try (TupleClient client = TupleClient.of(address)) {
                var _ = client.post(name, "assignGroups", body);
            }
            Terminal.open(false).say("assigned " + assignments.size() + " groups");
            return ExitCode.OK.number();
        }
    }
}
