package petrichor.cli.stores;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import petrichor.base.TextTable;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import petrichor.deployment.Node;
import petrichor.deployment.StoreCluster;
import petrichor.deployment.StoreDeployment;
import petrichor.server.data.StorePlugins;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "store",
        mixinStandardHelpOptions = true,
        description = "Start and stop the servers of datastores.",
        subcommands = {
            StoreStartCommand.class,
            StoreStatusCommand.class,
            StoreCommand.Stop.class,
            StoreCommand.Wipe.class,
            StoreLogsCommand.class,
            StoreAdoptCommand.class,
            StoreCommand.ListStores.class
        })
public final class StoreCommand {
    private StoreCommand() {}

    @Command(
            name = "stop",
            mixinStandardHelpOptions = true,
            description = "Stop the servers in reverse order; keep the data.")
    static final class Stop implements Callable<Integer> {
        @Mixin private StoreChoice choice = new StoreChoice();

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() {
            Terminal terminal = Terminal.open(false);
            List<Node> killed = choice.cluster().stop();
            if (json) {
                System.out.println(
                        new JsonLine()
                                .put("store", choice.name())
                                .put("state", "stopped")
                                .put("killed", killed.size())
                                .put("data", choice.folder().toAbsolutePath().toString()));
                return ExitCode.OK.number();
            }
            for (Node node : killed) {
                terminal.complain("node " + node.number() + " did not stop in time and was killed");
            }
            terminal.say(choice.name() + " is stopped; its data remains in " + choice.folder());
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "wipe",
            mixinStandardHelpOptions = true,
            description = "Delete stopped servers with all their data.")
    static final class Wipe implements Callable<Integer> {
        @Mixin private StoreChoice choice = new StoreChoice();

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() {
            choice.cluster().wipe();
            if (json) {
                System.out.println(
                        new JsonLine()
                                .put("store", choice.name())
                                .put("state", "wiped")
                                .put("data", choice.folder().toAbsolutePath().toString()));
                return ExitCode.OK.number();
            }
            Terminal.open(false).say(choice.name() + " and its data are deleted");
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the datastores that can be started.")
    static final class ListStores implements Callable<Integer> {
        @Option(names = "--json", description = "Print one JSON object per line.")
        private boolean json;

        @Override
        public Integer call() {
            TextTable table = new TextTable(System.out);
            for (StoreDeployment one : StorePlugins.installed().deployments()) {
                boolean here = StoreCluster.existsIn(StoreChoice.usualFolder(one.store()));
                if (json) {
                    System.out.println(
                            new JsonLine()
                                    .put("store", one.store())
                                    .put("version", one.version())
                                    .put("nodesMax", one.nodesMax())
                                    .put("here", here ? 1 : 0));
                } else {
                    table.row(row(one, here));
                }
            }
            table.end();
            return ExitCode.OK.number();
        }

        private static Map<String, String> row(StoreDeployment one, boolean here) {
            Map<String, String> row = new LinkedHashMap<>();
            row.put("store", one.store());
            row.put("version", one.version());
            row.put("nodes", one.nodesMax() == 1 ? "1" : "1 to " + one.nodesMax());
            row.put("data", here ? StoreChoice.usualFolder(one.store()).toString() : "");
            return row;
        }
    }
}
