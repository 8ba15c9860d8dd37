package petrichor.cli.stores;

import java.util.concurrent.Callable;
import petrichor.cli.connection.ServerFlags;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.StoreLeases;
import petrichor.server.logs.Logging;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Assigns a datastore to a standalone server or a cluster. Refused while a server uses the store.
 */
@Command(
        name = "adopt",
        mixinStandardHelpOptions = true,
        description = {
            "Assign a datastore to the configured cluster or standalone server.",
            "All of its Petrichor servers must be stopped."
        })
final class StoreAdoptCommand implements Callable<Integer> {
    @Mixin private ServerFlags flags = new ServerFlags();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        ServerConfig config = ServerConfig.of(flags.settings());
        Logging.install(config.log());
        StoreLeases.Adoption adoption = StoreLeases.adopt(config);
        String before = adoption.before().orElse("no server");
        String now = adoption.now();
        if (json) {
            System.out.println(
                    new JsonLine()
                            .put("store", adoption.store())
                            .put("before", before)
                            .put("now", now));
            return ExitCode.OK.number();
        }
        Terminal.open(false)
                .say(
                        adoption.store()
                                + (before.equals(now)
                                        ? " already belongs to " + now
                                        : " belonged to " + before + "; it belongs to " + now));
        return ExitCode.OK.number();
    }
}
