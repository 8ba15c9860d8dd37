package petrichor.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import petrichor.kv.deployment.Node;
import petrichor.kv.deployment.StoreCluster;
import petrichor.kv.deployment.StoreCluster.State;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = {
            "Says of each server whether its process runs and whether it answers.",
            "Exits with 0 if all of them do, else with 5."
        })
final class StoreStatusCommand implements Callable<Integer> {
    @Mixin private StoreChoice choice = new StoreChoice();

    @Option(names = "--json", description = "Prints one JSON object per line.")
    private boolean json;

    @Override
    public Integer call() {
        StoreCluster store = choice.cluster();
        Table table = new Table(System.out);
        boolean all = true;
        for (Node node : store.cluster().nodes()) {
            State state = store.state(node);
            all &= state == State.SERVES;
            OptionalLong pid = store.pid(node);
            if (json) {
                print(store, node, state, pid);
            } else {
                table.row(row(store, node, state, pid));
            }
        }
        table.end();
        return (all ? ExitCode.OK : ExitCode.UNAVAILABLE).number();
    }

    private static void print(StoreCluster store, Node node, State state, OptionalLong pid) {
        JsonLine line =
                new JsonLine()
                        .put("node", node.number())
                        .put("host", store.host(node).name())
                        .put("address", node.address())
                        .put("state", text(state))
                        .put("log", store.log(node).toString());
        pid.ifPresent(number -> line.put("pid", number));
        node.ports().forEach((name, number) -> line.put("port." + name, number));
        System.out.println(line);
    }

    private static Map<String, String> row(
            StoreCluster store, Node node, State state, OptionalLong pid) {
        Map<String, String> row = new LinkedHashMap<>();
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
            case SILENT -> "runs, does not answer";
            case STOPPED -> "stopped";
        };
    }
}
