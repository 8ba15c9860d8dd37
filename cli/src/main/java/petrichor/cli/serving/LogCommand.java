package petrichor.cli.serving;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "log",
        mixinStandardHelpOptions = true,
        description = "Show and change the log levels of a running server.",
        subcommands = {
            LogCommand.ListLevels.class,
            LogCommand.SetLevel.class,
            LogCommand.ResetLevel.class
        })
public final class LogCommand {
    private static final String PAGE = "/petrichor/v1/log";

    private LogCommand() {}

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the log level and the loggers with a different level.")
    static final class ListLevels implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            return exchange(address, null, json);
        }
    }

    @Command(
            name = "set",
            mixinStandardHelpOptions = true,
            description = {
                "Set the log level of a running server until it stops.",
                "With --logger, only of one logger and its children."
            })
    static final class SetLevel implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "LEVEL", description = "debug, info, warn or error.")
        private String level = "";

        @Option(
                names = "--logger",
                description =
                        "Name of the logger, such as petrichor.requests. Default: all loggers")
        private @Nullable String logger;

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject change = new JsonObject();
            change.addProperty("level", level);
            if (logger != null) {
                change.addProperty("logger", logger);
            }
            return exchange(address, change, json);
        }
    }

    @Command(
            name = "reset",
            mixinStandardHelpOptions = true,
            description = "Restore the previous level of a logger.")
    static final class ResetLevel implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(
                paramLabel = "LOGGER",
                description = "Name of the logger, as passed to `log set`.")
        private String logger = "";

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject change = new JsonObject();
            change.add("level", JsonNull.INSTANCE);
            change.addProperty("logger", logger);
            return exchange(address, change, json);
        }
    }

    /** Sends the change, if any, and prints the resulting levels. */
    private static int exchange(ServerAddress address, @Nullable JsonObject change, boolean json)
            throws InterruptedException {
        JsonObject levels;
        try (ServerAddress.Connection connection = address.connect(false)) {
            String server = connection.client().address();
            levels =
                    change == null
                            ? ServerPage.read(
                                    server, PAGE, address.token(), address.tls(), "its log levels")
                            : ServerPage.change(
                                    server, PAGE, address.token(), address.tls(), change);
        }
        if (json) {
            System.out.println(levels);
        } else {
            System.out.println("all loggers: " + levels.get("level").getAsString());
            levels.getAsJsonObject("loggers")
                    .asMap()
                    .forEach(
                            (name, level) -> System.out.println(name + ": " + level.getAsString()));
        }
        return ExitCode.OK.number();
    }
}
