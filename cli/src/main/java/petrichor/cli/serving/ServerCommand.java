package petrichor.cli.serving;

import java.util.concurrent.Callable;
import petrichor.cli.connection.ServerFlags;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Starts the same server as {@link UpCommand}, under the name that operators expect. */
@Command(
        name = "server",
        mixinStandardHelpOptions = true,
        description = {
            "Start one server of a cluster; the same as up.",
            "With cluster.coordination and store.url in its configuration it joins the cluster."
        })
public final class ServerCommand implements Callable<Integer> {
    @Mixin private ServerFlags flags = new ServerFlags();

    @Override
    public Integer call() throws InterruptedException {
        return UpCommand.run(flags);
    }
}
