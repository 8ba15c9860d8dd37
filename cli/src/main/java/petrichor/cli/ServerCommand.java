package petrichor.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The same server as {@link UpCommand} starts, by the name that operators look for. */
@Command(
        name = "server",
        mixinStandardHelpOptions = true,
        description = {
            "Start one server of a cluster; the same as up.",
            "With cluster.coordination and store.url in its configuration it joins the cluster."
        })
final class ServerCommand implements Callable<Integer> {
    @Mixin private ServerFlags flags = new ServerFlags();

    @Override
    public Integer call() throws InterruptedException {
        return UpCommand.run(flags);
    }
}
