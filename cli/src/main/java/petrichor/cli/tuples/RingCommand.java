package petrichor.cli.tuples;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.AwaitedStatus;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Distributes the collections of a database over several stores. */
@Command(
        name = "ring",
        mixinStandardHelpOptions = true,
        description = {
            "Distribute collections over several stores.",
            "Stores are sections [stores.NAME] of the configuration; \"home\" is that of [store]."
        },
        subcommands = {
            RingCommand.Show.class,
            RingCommand.Status.class,
            RingCommand.Create.class,
            RingCommand.Cover.class,
            RingCommand.Add.class,
            RingCommand.Remove.class,
            RingCommand.Move.class,
            RingCommand.Rebalance.class,
            RingCommand.Cancel.class
        })
public final class RingCommand {
    private static final String PATH = "/petrichor/v1/ring";

    private RingCommand() {}

    /** The options of all of its commands, and the request that they send. */
    abstract static class Action implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print the answer as one line of JSON.")
        private boolean json;

        final JsonObject request(String action) {
            JsonObject request = address.request(action);
            return request;
        }

        final JsonObject ask(JsonObject request) throws InterruptedException {
            return address.change(PATH, request);
        }

        final int shown(JsonObject answer, boolean ranges) {
            if (json) {
                System.out.println(answer);
            } else if (answer.has("members")) {
                lines(answer, ranges).forEach(System.out::println);
            } else {
                System.out.println(address.databaseName() + " has no ring");
            }
            return (answer.has("problem") ? ExitCode.FAILURE : ExitCode.OK).number();
        }

        /** Waits until nothing is left to move, or the remaining moves were abandoned. */
        final JsonObject awaited(JsonObject status) throws InterruptedException {
            return AwaitedStatus.await(
                    status,
                    now ->
                            now.has("settled")
                                    && !now.get("settled").getAsBoolean()
                                    && !abandoned(now),
                    RingCommand::progress,
                    json,
                    () -> ask(request("status")));
        }
    }

    /** Whether a problem is left, and nothing that the server would try again. */
    static boolean abandoned(JsonObject status) {
        return status.has("problem")
                && !status.has("move")
                && status.get("planned").getAsInt() == 0
                && status.get("formerRanges").getAsInt() == 0
                && text(status, "goal").equals("NONE");
    }

    private static List<String> lines(JsonObject answer, boolean ranges) {
        List<String> lines = new ArrayList<>();
        for (JsonElement element : answer.getAsJsonArray("members")) {
            JsonObject member = element.getAsJsonObject();
            lines.add(
                    String.format(
                            Locale.ROOT,
                            "%-16s %4d ranges  %15s  %,d reads  %,d writes%s",
                            text(member, "store"),
                            member.get("ranges").getAsInt(),
                            member.has("bytes")
                                    ? String.format(
                                            Locale.ROOT,
                                            "%,d bytes",
                                            member.get("bytes").getAsLong())
                                    : "not measured",
                            member.get("reads").getAsLong(),
                            member.get("writes").getAsLong(),
                            member.get("leaving").getAsBoolean() ? "  leaving" : ""));
        }
        if (ranges) {
            JsonArray all = answer.getAsJsonArray("ranges");
            for (JsonElement element : all) {
                JsonObject range = element.getAsJsonObject();
                lines.add(
                        text(range, "fromKey")
                                + " .. "
                                + text(range, "toKey")
                                + "  "
                                + text(range, "store"));
            }
        }
        lines.add(progress(answer));
        return lines;
    }

    private static String progress(JsonObject answer) {
        StringBuilder text = new StringBuilder();
        if (answer.get("settled").getAsBoolean()) {
            text.append("settled");
        } else if (answer.has("move")) {
            JsonObject move = answer.getAsJsonObject("move");
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%s %s -> %s  %,d rows, %,d bytes",
                            text(move, "phase"),
                            text(move, "from"),
                            text(move, "to"),
                            move.get("rows").getAsLong(),
                            move.get("bytes").getAsLong()));
        } else if (answer.get("formerRanges").getAsInt() > 0) {
            text.append("deleting rows that are elsewhere");
        } else {
            text.append("planning by ").append(text(answer, "goal").toLowerCase(Locale.ROOT));
        }
        JsonObject moved = answer.getAsJsonObject("moved");
        text.append(
                String.format(
                        Locale.ROOT,
                        "; %d ranges to move, %d moved, %,d bytes",
                        answer.get("planned").getAsInt(),
                        moved.get("ranges").getAsLong(),
                        moved.get("bytes").getAsLong()));
        if (answer.has("problem")) {
            text.append("; ").append(text(answer, "problem"));
        }
        return text.toString();
    }

    private static String text(JsonObject answer, String field) {
        JsonElement value = answer.get(field);
        return value == null ? "" : value.getAsString();
    }

    /** Work that a server does in the background. */
    abstract static class Work extends Action {
        @Option(names = "--wait", description = "Wait until nothing is left to move.")
        private boolean wait;

        final int begun(JsonObject request) throws InterruptedException {
            JsonObject status = ask(request);
            return shown(wait ? awaited(status) : status, false);
        }
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Show the members and which ranges they have.")
    static final class Show extends Action {
        @Override
        public Integer call() throws InterruptedException {
            return shown(ask(request("status")), true);
        }
    }

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Show members, moves and problems.")
    static final class Status extends Work {
        @Override
        public Integer call() throws InterruptedException {
            return begun(request("status"));
        }
    }

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = "Make a ring of stores and divide collections.")
    static final class Create extends Work {
        @Parameters(paramLabel = "STORE", arity = "1..*", description = "The members.")
        private List<String> stores = List.of();

        @Option(
                names = "--collection",
                paramLabel = "NAME",
                description = "Divide this collection only; default: all, future ones too.")
        private String collection = "";

        @Override
        public Integer call() throws InterruptedException {
            JsonObject request = request("create");
            JsonArray members = new JsonArray();
            stores.forEach(members::add);
            request.add("stores", members);
            request.addProperty("collection", collection);
            return begun(request);
        }
    }

    @Command(
            name = "cover",
            mixinStandardHelpOptions = true,
            description = "Have the ring divide another collection too.")
    static final class Cover extends Work {
        @Option(
                names = "--collection",
                paramLabel = "NAME",
                description = "Divide this collection; default: all, future ones too.")
        private String collection = "";

        @Override
        public Integer call() throws InterruptedException {
            JsonObject request = request("cover");
            request.addProperty("collection", collection);
            return begun(request);
        }
    }

    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = "Add a store and move its share to it.")
    static final class Add extends Work {
        @Parameters(paramLabel = "STORE", description = "The store that joins.")
        private String store = "";

        @Override
        public Integer call() throws InterruptedException {
            JsonObject request = request("add");
            request.addProperty("store", store);
            return begun(request);
        }
    }

    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = "Move all ranges of a store away; remove it.")
    static final class Remove extends Work {
        @Parameters(paramLabel = "STORE", description = "The store that leaves.")
        private String store = "";

        @Override
        public Integer call() throws InterruptedException {
            JsonObject request = request("remove");
            request.addProperty("store", store);
            return begun(request);
        }
    }

    @Command(
            name = "move",
            mixinStandardHelpOptions = true,
            description = "Move a collection to one store.")
    static final class Move extends Work {
        @Parameters(paramLabel = "STORE", description = "The member to move to.")
        private String store = "";

        @Option(
                names = "--collection",
                paramLabel = "NAME",
                required = true,
                description = "The collection to move.")
        private String collection = "";

        @Override
        public Integer call() throws InterruptedException {
            JsonObject request = request("move");
            request.addProperty("store", store);
            request.addProperty("collection", collection);
            return begun(request);
        }
    }

    @Command(
            name = "rebalance",
            mixinStandardHelpOptions = true,
            description = "Move ranges until the members are equal.")
    static final class Rebalance extends Work {
        @Option(
                names = "--by-load",
                description = "Requests count as much as bytes; split hot ranges.")
        private boolean byLoad;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject request = request("rebalance");
            request.addProperty("byLoad", byLoad);
            return begun(request);
        }
    }

    @Command(
            name = "cancel",
            mixinStandardHelpOptions = true,
            description = "End the move under way; forget planned ones.")
    static final class Cancel extends Action {
        @Override
        public Integer call() throws InterruptedException {
            return shown(ask(request("cancel")), false);
        }
    }
}
