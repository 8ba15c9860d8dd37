package petrichor.cli.data;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Replicates a database to another deployment. */
@Command(
        name = "replicate",
        mixinStandardHelpOptions = true,
        description = {
            "Replicate a database to another deployment.",
            "Targets are sections of the file replication.targets-file of the server."
        },
        subcommands = {
            ReplicateCommand.Plan.class,
            ReplicateCommand.Start.class,
            ReplicateCommand.Status.class,
            ReplicateCommand.Pause.class,
            ReplicateCommand.Resume.class,
            ReplicateCommand.Stop.class,
            ReplicateCommand.Switch.class,
            ReplicateCommand.Reopen.class,
            ReplicateCommand.Promote.class
        })
public final class ReplicateCommand {
    private static final String PATH = "/petrichor/v1/replication";
    private static final double BYTES_PER_GB = 1e9;
    private static final double DAYS_PER_MONTH = 30;

    private ReplicateCommand() {}

    /** The options of all of its commands, and the request that they send. */
    abstract static class Action implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print the answer as one line of JSON.")
        private boolean json;

        final JsonObject ask(String action, JsonObject request) throws InterruptedException {
            request.addProperty("action", action);
            request.addProperty("project", address.databaseName().project());
            request.addProperty("database", address.databaseName().database());
            return address.change(PATH, request);
        }

        /** Prints the status of the database and its streams. */
        final int shown(JsonObject answer) {
            if (json) {
                System.out.println(answer);
                return ExitCode.OK.number();
            }
            String role = text(answer, "role");
            if (role.equals("REPLICA")) {
                System.out.printf(
                        Locale.ROOT,
                        "%s is a replica of %s%s%n",
                        address.databaseName(),
                        text(answer, "source"),
                        answer.get("complete").getAsBoolean() ? "" : ", not complete yet");
            } else if (role.equals("RETIRED")) {
                System.out.println(address.databaseName() + " was replaced; it refuses writes");
            }
            JsonArray streams = answer.getAsJsonArray("streams");
            for (JsonElement stream : streams) {
                System.out.println(line(stream.getAsJsonObject()));
            }
            if (streams.isEmpty() && !role.equals("REPLICA") && !role.equals("RETIRED")) {
                System.out.println(address.databaseName() + " is not replicated");
            }
            return ExitCode.OK.number();
        }

        final int printed(JsonObject answer, String text) {
            System.out.println(json ? answer.toString() : text);
            return ExitCode.OK.number();
        }
    }

    private static String text(JsonObject answer, String field) {
        JsonElement value = answer.get(field);
        return value == null ? "" : value.getAsString();
    }

    private static String line(JsonObject stream) {
        StringBuilder text = new StringBuilder();
        text.append(text(stream, "name")).append(" -> ").append(text(stream, "target"));
        text.append("  ").append(text(stream, "phase"));
        if (stream.get("paused").getAsBoolean()) {
            text.append(" (paused)");
        }
        if (stream.has("rows")) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "  %,d rows, %,d commits, %,d duplicates",
                            stream.get("rows").getAsLong(),
                            stream.get("commits").getAsLong(),
                            stream.get("duplicates").getAsLong()));
        }
        if (stream.has("lagSeconds")) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "  lag %.1f s, %s%,d commits, %,d bytes",
                            stream.get("lagSeconds").getAsDouble(),
                            stream.get("lagMore").getAsBoolean() ? "more than " : "",
                            stream.get("lagCommits").getAsLong(),
                            stream.get("lagBytes").getAsLong()));
        }
        if (stream.has("problem")) {
            text.append("  ").append(text(stream, "problem"));
        }
        return text.toString();
    }

    /** What is replicated where. */
    static final class Selection {
        @Parameters(
                paramLabel = "TARGET",
                description = "A section of the file replication.targets-file of the server.")
        private String to = "";

        @Option(
                names = "--name",
                description = "Name of the replication. Default: the name of the target")
        private String name = "";

        @Option(
                names = "--target-project",
                paramLabel = "PROJECT",
                description = "Project at the target. Default: the same")
        private String targetProject = "";

        @Option(
                names = "--target-database",
                paramLabel = "DATABASE",
                description = "Database of --target-project. Default: the default one")
        private String targetDatabase = "";

        @Option(names = "--kind", description = "Replicate only entities of this kind.")
        private List<String> kinds = new ArrayList<>();

        @Option(names = "--namespace", description = "Replicate only this namespace.")
        private List<String> namespaces = new ArrayList<>();

        @Option(
                names = "--mask",
                paramLabel = "KIND.PROPERTY",
                description = "Replace the values of this property by null.")
        private List<String> masks = new ArrayList<>();

        JsonObject request() {
            JsonObject request = new JsonObject();
            request.addProperty("to", to);
            request.addProperty("name", name);
            request.addProperty("targetProject", targetProject);
            request.addProperty("targetDatabase", targetDatabase);
            request.add("kinds", array(kinds));
            request.add("namespaces", array(namespaces));
            request.add("masks", array(masks));
            return request;
        }

        private static JsonArray array(List<String> texts) {
            JsonArray array = new JsonArray();
            texts.forEach(array::add);
            return array;
        }
    }

    /** An action on a replication that exists. */
    abstract static class Named extends Action {
        @Parameters(paramLabel = "NAME", description = "Name of the replication.")
        private String name = "";

        final JsonObject askFor(String action) throws InterruptedException {
            JsonObject request = new JsonObject();
            request.addProperty("name", name);
            return ask(action, request);
        }
    }

    @Command(
            name = "plan",
            mixinStandardHelpOptions = true,
            description = "Count what would be transferred, and its price; write nothing.")
    static final class Plan extends Action {
        @Mixin private Selection selection = new Selection();

        @Option(
                names = "--price-per-gb",
                paramLabel = "PRICE",
                description = "Price of a gigabyte of traffic, in any currency.")
        private @Nullable Double price;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject plan = ask("plan", selection.request());
            double copy = plan.get("sentBytes").getAsLong() / BYTES_PER_GB;
            double month =
                    plan.get("changedBytesPerDay").getAsLong() / BYTES_PER_GB * DAYS_PER_MONTH;
            String text =
                    String.format(
                            Locale.ROOT,
                            "%s -> %s: %s%,d rows with %,d bytes, compressed to %,d bytes%n"
                                    + "changes: %,d bytes per day, as in the last %,.0f s",
                            text(plan, "name"),
                            text(plan, "target"),
                            plan.get("complete").getAsBoolean() ? "" : "more than ",
                            plan.get("rows").getAsLong(),
                            plan.get("rawBytes").getAsLong(),
                            plan.get("sentBytes").getAsLong(),
                            plan.get("changedBytesPerDay").getAsLong(),
                            plan.get("recentSeconds").getAsDouble());
            if (price != null) {
                plan.addProperty("priceOfCopy", copy * price);
                plan.addProperty("pricePerMonth", month * price);
                text +=
                        String.format(
                                Locale.ROOT,
                                "%nprice: %.2f for the copy, %.2f per month for changes",
                                copy * price,
                                month * price);
            }
            return printed(plan, text);
        }
    }

    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description = "Copy the database to a target, which then follows it.")
    static final class Start extends Action {
        @Mixin private Selection selection = new Selection();

        @Override
        public Integer call() throws InterruptedException {
            return shown(ask("start", selection.request()));
        }
    }

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Show the replications of a database, and their lag.")
    static final class Status extends Action {
        @Override
        public Integer call() throws InterruptedException {
            return shown(ask("status", new JsonObject()));
        }
    }

    @Command(
            name = "pause",
            mixinStandardHelpOptions = true,
            description = "Stop sending changes for a while.")
    static final class Pause extends Named {
        @Override
        public Integer call() throws InterruptedException {
            return shown(askFor("pause"));
        }
    }

    @Command(
            name = "resume",
            mixinStandardHelpOptions = true,
            description = "Continue a paused replication.")
    static final class Resume extends Named {
        @Override
        public Integer call() throws InterruptedException {
            return shown(askFor("resume"));
        }
    }

    @Command(
            name = "stop",
            mixinStandardHelpOptions = true,
            description = "End a replication; the replica stays as it is.")
    static final class Stop extends Named {
        @Override
        public Integer call() throws InterruptedException {
            return shown(askFor("stop"));
        }
    }

    @Command(
            name = "switch",
            mixinStandardHelpOptions = true,
            description = "Make the replica the primary; the source then refuses writes.")
    static final class Switch extends Named {
        @Override
        public Integer call() throws InterruptedException {
            JsonObject switched = askFor("switch");
            return printed(
                    switched,
                    String.format(
                            Locale.ROOT,
                            "%s at %s is the primary now; writes were refused for %.1f ms",
                            text(switched, "switched"),
                            text(switched, "target"),
                            switched.get("pauseMs").getAsDouble()));
        }
    }

    @Command(
            name = "reopen",
            mixinStandardHelpOptions = true,
            description = "Let the source accept writes after a failed switch.")
    static final class Reopen extends Named {
        @Override
        public Integer call() throws InterruptedException {
            return shown(askFor("reopen"));
        }
    }

    @Command(
            name = "promote",
            mixinStandardHelpOptions = true,
            description = {
                "Make a replica writable because its source is lost.",
                "Sent to the server of the replica. While the source is available, use switch."
            })
    static final class Promote extends Action {
        @Option(
                names = "--source-lost",
                description = "Confirm that no client can write to the source.")
        private boolean lost;

        @Override
        public Integer call() throws InterruptedException {
            if (!lost) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "Commits that the replica does not have are lost, and a source that still"
                                + " runs accepts writes until it reaches the replica. Stop the"
                                + " source, then repeat this with --source-lost; while it is"
                                + " available, use `petrichor replicate switch`.");
            }
            JsonObject promoted = ask("promote", new JsonObject());
            return printed(
                    promoted,
                    String.format(
                            Locale.ROOT,
                            "%s is the primary now, in epoch %d",
                            text(promoted, "promoted"),
                            promoted.get("epoch").getAsLong()));
        }
    }
}
