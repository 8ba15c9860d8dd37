package petrichor.cli.data;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.AwaitedStatus;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves a database from one store to another while it is in use. */
@Command(
        name = "migrate",
        mixinStandardHelpOptions = true,
        description = {
            "Move a database to another store while it is in use.",
            "Stores are sections [stores.NAME] of the configuration; \"home\" is that of [store]."
        },
        subcommands = {
            MigrateCommand.Plan.class,
            MigrateCommand.Start.class,
            MigrateCommand.Status.class,
            MigrateCommand.Pause.class,
            MigrateCommand.Resume.class,
            MigrateCommand.Switch.class,
            MigrateCommand.Reverse.class,
            MigrateCommand.Complete.class,
            MigrateCommand.Cancel.class
        })
public final class MigrateCommand {
    private static final String PATH = "/petrichor/v1/migration";

    private MigrateCommand() {}

    /** The options of all of its commands, and the request that they send. */
    abstract static class Action implements Callable<Integer> {
        private static final Set<String> WORKING = Set.of("COPY", "CATCH_UP", "VERIFY", "END");

        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print the answer as one line of JSON.")
        private boolean json;

        final JsonObject ask(String action, String to) throws InterruptedException {
            JsonObject request = address.request(action);
            request.addProperty("to", to);
            return address.change(PATH, request);
        }

        /** Waits while the migration works towards a state that needs a decision. */
        final JsonObject awaited(JsonObject status) throws InterruptedException {
            return AwaitedStatus.await(
                    status, Action::isWorking, this::line, json, () -> ask("status", ""));
        }

        private static boolean isWorking(JsonObject status) {
            return WORKING.contains(text(status, "phase")) && !status.get("paused").getAsBoolean();
        }

        final int shown(JsonObject answer) {
            if (json) {
                System.out.println(answer);
            } else {
                System.out.println(line(answer));
            }
            boolean bad =
                    (answer.has("mismatches") && answer.get("mismatches").getAsLong() > 0)
                            || text(answer, "phase").equals("STOPPED");
            return (bad ? ExitCode.FAILURE : ExitCode.OK).number();
        }

        private String line(JsonObject answer) {
            if (answer.has("pauseMs")) {
                return String.format(
                        Locale.ROOT,
                        "%s is now in the store %s; commits waited %.1f ms",
                        address.databaseName(),
                        text(answer, "store"),
                        answer.get("pauseMs").getAsDouble());
            }
            if (answer.has("problems")) {
                return String.format(
                        Locale.ROOT,
                        "%s -> %s: %s%,d rows with %,d bytes, history and indexes included",
                        text(answer, "from"),
                        text(answer, "to"),
                        answer.get("complete").getAsBoolean() ? "" : "more than ",
                        answer.get("rows").getAsLong(),
                        answer.get("bytes").getAsLong());
            }
            return answer.has("phase")
                    ? status(answer)
                    : address.databaseName() + " is not being migrated";
        }
    }

    private static String text(JsonObject answer, String field) {
        JsonElement value = answer.get(field);
        return value == null ? "" : value.getAsString();
    }

    private static String status(JsonObject status) {
        StringBuilder text = new StringBuilder();
        text.append(text(status, "from")).append(" -> ").append(text(status, "to"));
        text.append("  ").append(text(status, "phase"));
        if (status.get("paused").getAsBoolean()) {
            text.append(" (paused)");
        }
        text.append(
                String.format(
                        Locale.ROOT,
                        "  %,d rows copied, %.0f %%",
                        status.get("rows").getAsLong(),
                        100 * status.get("fraction").getAsDouble()));
        if (status.has("secondsLeft")) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            ", %,d rows/s, %d s left",
                            status.get("rowsPerSecond").getAsLong(),
                            status.get("secondsLeft").getAsLong()));
        }
        text.append(
                String.format(Locale.ROOT, "  lag %.1f s", status.get("lagSeconds").getAsDouble()));
        if (status.has("comparedRows")) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "  %,d rows compared, %d differ",
                            status.get("comparedRows").getAsLong(),
                            status.get("mismatches").getAsLong()));
        }
        if (status.has("problem")) {
            text.append("  ").append(text(status, "problem"));
        }
        return text.toString();
    }

    @Command(
            name = "plan",
            mixinStandardHelpOptions = true,
            description = "Check a migration and count its rows; write nothing.")
    static final class Plan extends Action {
        @Parameters(paramLabel = "STORE", description = "The store to move to.")
        private String to = "";

        @Override
        public Integer call() throws InterruptedException {
            JsonObject plan = ask("plan", to);
            boolean possible = plan.getAsJsonArray("problems").isEmpty();
            var _ = shown(plan);
            plan.getAsJsonArray("problems")
                    .forEach(problem -> Terminal.open(false).complain(problem.getAsString()));
            return (possible ? ExitCode.OK : ExitCode.FAILURE).number();
        }
    }

    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description = "Copy the database to a store, which then follows it.")
    static final class Start extends Action {
        @Parameters(paramLabel = "STORE", description = "The store to move to.")
        private String to = "";

        @Option(names = "--wait", description = "Wait until the stores are equal.")
        private boolean wait;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject status = ask("start", to);
            return shown(wait ? awaited(status) : status);
        }
    }

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Show phase, progress, lag and mismatches.")
    static final class Status extends Action {
        @Option(names = "--wait", description = "Wait until the migration needs a decision.")
        private boolean wait;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject status = ask("status", "");
            return shown(wait ? awaited(status) : status);
        }
    }

    @Command(
            name = "pause",
            mixinStandardHelpOptions = true,
            description = "Stop copying and following for a while.")
    static final class Pause extends Action {
        @Override
        public Integer call() throws InterruptedException {
            return shown(ask("pause", ""));
        }
    }

    @Command(
            name = "resume",
            mixinStandardHelpOptions = true,
            description = "Continue a paused migration.")
    static final class Resume extends Action {
        @Override
        public Integer call() throws InterruptedException {
            return shown(ask("resume", ""));
        }
    }

    @Command(
            name = "switch",
            mixinStandardHelpOptions = true,
            description = "Use the new store; the old one then follows.")
    static final class Switch extends Action {
        @Override
        public Integer call() throws InterruptedException {
            return shown(ask("switch", ""));
        }
    }

    @Command(
            name = "reverse",
            mixinStandardHelpOptions = true,
            description = "Switch back to the store that follows.")
    static final class Reverse extends Action {
        @Override
        public Integer call() throws InterruptedException {
            return shown(ask("reverse", ""));
        }
    }

    @Command(
            name = "complete",
            mixinStandardHelpOptions = true,
            description = "End after a switch; delete the rows in the store that follows.")
    static final class Complete extends Action {
        @Option(names = "--wait", description = "Wait until the rows are deleted.")
        private boolean wait;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject status = ask("complete", "");
            return shown(wait ? awaited(status) : status);
        }
    }

    @Command(
            name = "cancel",
            mixinStandardHelpOptions = true,
            description = "End before a switch; delete the copied rows.")
    static final class Cancel extends Action {
        @Option(names = "--wait", description = "Wait until the rows are deleted.")
        private boolean wait;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject status = ask("cancel", "");
            return shown(wait ? awaited(status) : status);
        }
    }
}
