package petrichor.cli.stores;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import petrichor.deployment.Host;
import petrichor.deployment.Progress;
import petrichor.deployment.StoreCluster;
import petrichor.deployment.StoreCluster.Layout;
import petrichor.deployment.StoreDeployment;
import petrichor.server.config.ConfigKey;
import petrichor.server.data.StoreLeases;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Starts the nodes. Returns when every node answers; after a failure, reports it and stops the
 * nodes that it started.
 */
@Command(
        name = "start",
        mixinStandardHelpOptions = true,
        description = {
            "Download, configure and start the servers of a datastore; returns when they are"
                    + " ready.",
            "Stopped servers restart with their layout and data."
        })
final class StoreStartCommand implements Callable<Integer> {
    @Mixin private StoreChoice choice = new StoreChoice();

    @Option(names = "--nodes", paramLabel = "N", description = "Number of servers. Default: 1")
    private @Nullable Integer nodes;

    @Option(
            names = "--hosts",
            paramLabel = "HOST",
            split = ",",
            description =
                    "Machines to run them on, one server each, over ssh with a key. Default: all on"
                            + " this machine, each on its own loopback address")
    private List<String> hosts = List.of();

    @Option(names = "--user", paramLabel = "USER", description = "User name for ssh.")
    private @Nullable String user;

    @Option(
            names = "--ssh-option",
            paramLabel = "KEY=VALUE",
            description = "An option for ssh, as for its -o, such as Port=2222; repeatable.")
    private List<String> sshOptions = List.of();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        Terminal terminal = Terminal.open(false);
        Progress progress = terminal::say;
        StoreDeployment deployment = choice.deployment();
        boolean laidOut = StoreCluster.existsIn(choice.folder());
        StoreCluster store =
                laidOut
                        ? asLaidOut(deployment)
                        : StoreCluster.create(deployment, choice.folder(), layout(), progress);
        Thread interrupted = new Thread(() -> leave(terminal), "interrupted");
        Runtime.getRuntime().addShutdownHook(interrupted);
        try {
            store.start(progress);
        } finally {
            Runtime.getRuntime().removeShutdownHook(interrupted);
        }
        if (json) {
            System.out.println(
                    new JsonLine()
                            .put("store", deployment.store())
                            .put("version", deployment.version())
                            .put("nodes", store.cluster().nodes().size())
                            .put("data", store.folder().toString())
                            .put("url", store.url()));
        } else {
            tell(terminal, store, laidOut ? clusterOf(store) : Optional.empty());
        }
        return ExitCode.OK.number();
    }

    /** Servers keep running after the command ends, even if it is interrupted. */
    private void leave(Terminal terminal) {
        terminal.complain(
                "interrupted; servers that were started keep running until `petrichor store stop "
                        + choice.name()
                        + "`");
    }

    private Layout layout() {
        if (hosts.isEmpty()) {
            if (user != null || !sshOptions.isEmpty()) {
                throw PetrichorException.invalid(
                        "--user and --ssh-option are for machines named with --hosts");
            }
            return Layout.here(nodes == null ? 1 : nodes);
        }
        if (Set.copyOf(hosts).size() < hosts.size()) {
            throw PetrichorException.invalid(
                    "--hosts names a machine twice; each server needs its own");
        }
        if (nodes != null && nodes != hosts.size()) {
            throw PetrichorException.invalid(
                    "--hosts names {hostsCount} machines for {nodes} servers; each server needs its"
                            + " own",
                    "hostsCount",
                    hosts.size(),
                    "nodes",
                    nodes);
        }
        List<String> options = new ArrayList<>();
        sshOptions.forEach(option -> options.addAll(List.of("-o", option)));
        List<Host> all = new ArrayList<>();
        hosts.forEach(host -> all.add(new Host.OverSsh(host, Optional.ofNullable(user), options)));
        return new Layout(all, true);
    }

    /** The existing cluster, provided that it matches the options. */
    private StoreCluster asLaidOut(StoreDeployment deployment) {
        StoreCluster store = StoreCluster.open(deployment, choice.folder());
        int there = store.cluster().nodes().size();
        List<String> names =
                store.cluster().nodes().stream().map(node -> store.host(node).name()).toList();
        if ((nodes != null && nodes != there) || !(hosts.isEmpty() || hosts.equals(names))) {
            throw PetrichorException.of(
                    ErrorCode.ALREADY_EXISTS,
                    "{folder} has a {store} of {count}{unit} on {names}; start it without --nodes"
                            + " and --hosts, or another one elsewhere (--data)",
                    "folder",
                    choice.folder(),
                    "store",
                    deployment.store(),
                    "count",
                    there,
                    "unit",
                    (there == 1 ? " node" : " nodes"),
                    "names",
                    String.join(", ", names.stream().distinct().toList()));
        }
        return store;
    }

    /** The address of the coordination service, if the store belongs to a cluster. */
    private static Optional<String> clusterOf(StoreCluster store) {
        if (!store.deployment().setting().equals(ConfigKey.STORE_URL.key())) {
            return Optional.empty();
        }
        try {
            return StoreLeases.clusterOf(store.url());
        } catch (PetrichorException unreadable) {
            // The store serves, which is all that this command needs; a server reports any problem
            // with it.
            return Optional.empty();
        }
    }

    private void tell(Terminal terminal, StoreCluster store, Optional<String> cluster) {
        int count = store.cluster().nodes().size();
        terminal.say(
                terminal.bold(store.deployment().store() + " " + store.deployment().version())
                        + " is ready on "
                        + (count == 1 ? "one node" : count + " nodes")
                        + "; data and logs in "
                        + choice.folder());
        terminal.say("");
        terminal.say("Add this to petrichor.toml, before any [section], and start the server:");
        terminal.say("");
        String setting = store.deployment().setting();
        System.out.println(setting + " = \"" + store.url() + "\"");
        cluster.ifPresent(
                address ->
                        System.out.println(
                                ConfigKey.CLUSTER_COORDINATION.key() + " = \"" + address + "\""));
        System.out.flush();
        if (cluster.isPresent()) {
            terminal.say("");
            terminal.say(
                    "The data belongs to a cluster; start each of its servers with that file:");
            terminal.say("  ./petrichor server --config petrichor.toml");
        } else if (setting.equals(ConfigKey.STORE_URL.key())) {
            terminal.say("");
            terminal.say("or try it now:  ./petrichor up --store-url '" + store.url() + "'");
        }
    }
}
