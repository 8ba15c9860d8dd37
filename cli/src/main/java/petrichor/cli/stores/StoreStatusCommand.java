package petrichor.cli.stores;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import petrichor.base.TextTable;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import petrichor.deployment.Node;
import petrichor.deployment.StoreCluster;
import petrichor.deployment.StoreCluster.State;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = {
            "Show whether the servers of a datastore, or of all of them, run and answer.",
            "Exits with 0 if all of them do, else with 5."
        })
final class StoreStatusCommand implements Callable<Integer> {
    @Mixin private StartedStores started = new StartedStores();

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    @Override
    public Integer call() {
        Map<String, StoreCluster> stores = started.clusters();
        if (stores.isEmpty() && !json) {
            Terminal.open(false)
                    .say(
                            "no datastore was started from this folder; `petrichor store start"
                                    + " NAME` starts one, `petrichor store list` lists them");
        }
        TextTable table = new TextTable(System.out);
        boolean all = true;
        for (Map.Entry<String, StoreCluster> each : stores.entrySet()) {
            StoreCluster store = each.getValue();
            for (Node node : store.cluster().nodes()) {
                State state = store.state(node);
                all &= state == State.SERVES;
                OptionalLong pid = store.pid(node);
                if (json) {
                    print(each.getKey(), store, node, state, pid);
                } else {
                    table.row(row(each.getKey(), store, node, state, pid));
                }
            }
        }
        table.end();
        return (all ? ExitCode.OK : ExitCode.UNAVAILABLE).number();
    }

    private static void print(
            String name, StoreCluster store, Node node, State state, OptionalLong pid) {
        JsonLine line =
                new JsonLine()
                        .put("store", name)
                        .put("node", node.number())
                        .put("host", store.host(node).name())
                        .put("address", node.address())
                        .put("state", text(state))
                        .put("log", store.log(node).toString());
        pid.ifPresent(number -> line.put("pid", number));
        node.ports().forEach((port, number) -> line.put("port." + port, number));
        System.out.println(line);
    }

    private static Map<String, String> row(
            String name, StoreCluster store, Node node, State state, OptionalLong pid) {
        Map<String, String> row = new LinkedHashMap<>();
        row.put("store", name);
        row.put("node", "" + node.number());
        row.put("host", store.host(node).name());
        row.put("address", node.address());
        row.put("ports", node.ports().toString().replaceAll("[{}]", ""));
        row.put("process", pid.isPresent() ? "" + pid.getAsLong() : "none");
        row.put("state", text(state));
        return row;
    }

    private static String text(State state) {
        return switch (state) {
            case SERVES -> "serves";
            case SILENT -> "running, not answering";
            case STOPPED -> "stopped";
        };
    }
}
