package petrichor.cli.stores;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import petrichor.deployment.Node;
import petrichor.deployment.StoreCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "logs",
        mixinStandardHelpOptions = true,
        description = "Print the last lines of the servers' logs.")
final class StoreLogsCommand implements Callable<Integer> {
    @Mixin private StoreChoice choice = new StoreChoice();

    @Option(
            names = "--node",
            paramLabel = "N",
            description = "Print the log of this node only. Default: all")
    private @Nullable Integer number;

    @Option(names = "--lines", paramLabel = "N", description = "Number of lines. Default: 20")
    private int lines = 20;

    @Option(
            names = {"-f", "--follow"},
            description = "Follow the logs until Ctrl-C.")
    private boolean follow;

    @Option(names = "--json", description = "Print one JSON object per line of a log.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        StoreCluster store = choice.cluster();
        List<Thread> printing = new ArrayList<>();
        for (Node node : chosen(store)) {
            Thread one = Thread.ofVirtual().unstarted(() -> print(store, node));
            printing.add(one);
            one.start();
            if (!follow) {
                one.join();
            }
        }
        for (Thread one : printing) {
            one.join();
        }
        return ExitCode.OK.number();
    }

    private List<Node> chosen(StoreCluster store) {
        List<Node> all = store.cluster().nodes();
        if (number == null) {
            return all;
        }
        if (number < 1 || number > all.size()) {
            throw PetrichorException.invalid(
                    "{choice} has nodes 1 to {allCount}, not {number}",
                    "choice",
                    choice.name(),
                    "allCount",
                    all.size(),
                    "number",
                    number);
        }
        return List.of(all.get(number - 1));
    }

    private void print(StoreCluster store, Node node) {
        try {
            Process tail =
                    new ProcessBuilder(store.logCommand(node, lines, follow))
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            try (var output = tail.inputReader()) {
                for (String line; (line = output.readLine()) != null; ) {
                    System.out.println(shown(store, node, line));
                }
            } finally {
                tail.destroy();
            }
        } catch (IOException failed) {
            Terminal.open(false)
                    .complain("the log of node " + node.number() + ": " + failed.getMessage());
        }
    }

    private String shown(StoreCluster store, Node node, String line) {
        if (json) {
            return new JsonLine().put("node", node.number()).put("line", line).toString();
        }
        return store.cluster().nodes().size() == 1 ? line : node.number() + "  " + line;
    }
}
