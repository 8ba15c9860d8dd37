package petrichor.cli.data;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.AwaitedStatus;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Moves a database here from the endpoint in front of which the server runs. */
@Command(
        name = "upstream",
        mixinStandardHelpOptions = true,
        description = {
            "Move a database here from another Datastore endpoint while it is in use.",
            "The server runs in front of that endpoint: petrichor up --upstream URL."
        },
        subcommands = {
            UpstreamCommand.Status.class,
            UpstreamCommand.Start.class,
            UpstreamCommand.Verify.class,
            UpstreamCommand.Switch.class,
            UpstreamCommand.Reverse.class,
            UpstreamCommand.Complete.class,
            UpstreamCommand.Cancel.class
        })
public final class UpstreamCommand {
    private static final String PATH = "/petrichor/v1/upstream";
    private static final int EXAMPLES_SHOWN_MAX = 20;

    private UpstreamCommand() {}

    /** The options of all of its commands, and the request that they send. */
    abstract static class Action implements Callable<Integer> {
        private static final Set<String> WORKING = Set.of("COPY", "VERIFY");

        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print the answer as one line of JSON.")
        private boolean json;

        final JsonObject ask(String action, List<String> namespaces) throws InterruptedException {
            JsonObject request = address.request(action);
            if (!namespaces.isEmpty()) {
                JsonArray names = new JsonArray();
                namespaces.forEach(names::add);
                request.add("namespaces", names);
            }
            return address.change(PATH, request);
        }

        final JsonObject ask(String action) throws InterruptedException {
            return ask(action, List.of());
        }

        /** Waits while the move works towards a state that needs a decision. */
        final JsonObject awaited(JsonObject status) throws InterruptedException {
            return AwaitedStatus.await(
                    status, Action::isWorking, this::line, json, () -> ask("status"));
        }

        private static boolean isWorking(JsonObject status) {
            String phase = text(status, "phase");
            return WORKING.contains(phase)
                    || (phase.equals("CATCH_UP") && !status.has("comparedAt"));
        }

        final int shown(JsonObject answer) {
            if (json) {
                System.out.println(answer);
            } else {
                System.out.println(line(answer));
                JsonArray differing = answer.getAsJsonArray("mismatching");
                for (int i = 0; i < Math.min(EXAMPLES_SHOWN_MAX, differing.size()); i++) {
                    System.out.println("  differed: " + differing.get(i).getAsString());
                }
            }
            boolean bad = answer.get("mismatches").getAsLong() > 0;
            return (bad ? ExitCode.FAILURE : ExitCode.OK).number();
        }

        private String line(JsonObject status) {
            StringBuilder text = new StringBuilder(address.databaseName().toString());
            text.append("  ").append(text(status, "phase"));
            if (status.has("pauseMs")) {
                text.append(
                        String.format(
                                Locale.ROOT,
                                "  commits waited %.1f ms",
                                status.get("pauseMs").getAsDouble()));
            }
            text.append(
                    String.format(
                            Locale.ROOT,
                            "  entities copied: %,d  lag %.1f s",
                            status.get("entities").getAsLong(),
                            status.get("lagSeconds").getAsDouble()));
            long settles = status.get("settlesSeconds").getAsLong();
            if (settles > 0) {
                text.append(
                        String.format(
                                Locale.ROOT,
                                "  compares in %d s, when earlier commits can no longer arrive",
                                settles));
            }
            if (status.get("comparedEntities").getAsLong() > 0 || status.has("comparedAt")) {
                text.append(
                        String.format(
                                Locale.ROOT,
                                "  compared: %,d, differed: %,d",
                                status.get("comparedEntities").getAsLong(),
                                status.get("mismatches").getAsLong()));
            }
            JsonObject shadow = status.getAsJsonObject("shadowReads");
            long equal = shadow.get("equal").getAsLong();
            long different = shadow.get("different").getAsLong();
            if (equal + different > 0) {
                text.append(
                        String.format(
                                Locale.ROOT,
                                "  %,d shadow reads, %d differed",
                                equal + different,
                                different));
            }
            if (status.has("problem")) {
                text.append("  ").append(text(status, "problem"));
            }
            return text.toString();
        }
    }

    private static String text(JsonObject answer, String field) {
        JsonElement value = answer.get(field);
        return value == null ? "" : value.getAsString();
    }

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Show phase, progress, lag and mismatches.")
    static final class Status extends Action {
        @Option(names = "--wait", description = "Wait until the move needs a decision.")
        private boolean wait;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject status = ask("status");
            return shown(wait ? awaited(status) : status);
        }
    }

    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description = "Copy the database here, follow its commits, compare both sides.")
    static final class Start extends Action {
        @Option(
                names = "--namespaces",
                split = ",",
                paramLabel = "NAME",
                description =
                        "Namespaces to move, if the upstream cannot list them; an empty name is the"
                                + " default one.")
        private List<String> namespaces = new ArrayList<>();

        @Option(names = "--wait", description = "Wait until both sides are equal.")
        private boolean wait;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject status = ask("start", namespaces);
            return shown(wait ? awaited(status) : status);
        }
    }

    @Command(
            name = "verify",
            mixinStandardHelpOptions = true,
            description = "Compare both sides again.")
    static final class Verify extends Action {
        @Option(names = "--wait", description = "Wait for the result.")
        private boolean wait;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject status = ask("verify");
            return shown(wait ? awaited(status) : status);
        }
    }

    @Command(
            name = "switch",
            mixinStandardHelpOptions = true,
            description = "Answer here from now on; the upstream then follows.")
    static final class Switch extends Action {
        @Override
        public Integer call() throws InterruptedException {
            return shown(ask("switch"));
        }
    }

    @Command(
            name = "reverse",
            mixinStandardHelpOptions = true,
            description = "Switch back to the upstream; this server then follows.")
    static final class Reverse extends Action {
        @Override
        public Integer call() throws InterruptedException {
            return shown(ask("reverse"));
        }
    }

    @Command(
            name = "complete",
            mixinStandardHelpOptions = true,
            description = "End after a switch; the upstream is not used any more.")
    static final class Complete extends Action {
        @Override
        public Integer call() throws InterruptedException {
            return shown(ask("complete"));
        }
    }

    @Command(
            name = "cancel",
            mixinStandardHelpOptions = true,
            description = "End before a switch; delete the copy.")
    static final class Cancel extends Action {
        @Override
        public Integer call() throws InterruptedException {
            return shown(ask("cancel"));
        }
    }
}
