package petrichor.cli.jobs;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.base.TextTable;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import petrichor.cloud.leasing.CostReport;
import petrichor.cloud.leasing.TypeCost;
import petrichor.deployment.Node;
import petrichor.deployment.StoreCluster;
import petrichor.jobs.leased.ClusterMachines;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "flink",
        mixinStandardHelpOptions = true,
        description = "Start and stop a Flink cluster on this machine for `job run --backend`.",
        subcommands = {
            FlinkCommand.Start.class,
            FlinkCommand.Status.class,
            FlinkCommand.Stop.class
        })
public final class FlinkCommand {
    private static final int MACHINES_MAX = 64;
    private static final int SLOTS_MAX = 64;
    private static final int MEMORY_MEGABYTES_MIN = 256;

    private FlinkCommand() {}

    /**
     * Prints the cost of the leased machines, compared with the cost of permanently running
     * machines.
     */
    private static void bill(ClusterMachines machines, Map<String, String> row) {
        CostReport cost = machines.cost();
        row.put("paid", cost.paid().toString());
        row.put("fixed", cost.fixedCluster().toString());
        row.put("workedSeconds", Long.toString(cost.used().toSeconds()));
        row.put("idleSeconds", Long.toString(cost.idle().toSeconds()));
        row.put(
                "types",
                machines.types().stream()
                        .map(TypeCost::toString)
                        .collect(Collectors.joining(", ")));
    }

    /** Options shared by all Flink commands. */
    static final class Place {
        @Option(
                names = "--data",
                paramLabel = "DIR",
                description = "Folder of the cluster. Default: ./petrichor-flink")
        private Path folder = Path.of("petrichor-flink");

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        /** NOT_FOUND if no cluster was ever started in the folder. */
        StoreCluster cluster() {
            return StoreCluster.open(new FlinkDeployment(1, MEMORY_MEGABYTES_MIN, null), folder);
        }
    }

    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description = {
                "Start a Flink cluster, wait until it is ready, and print its address for `job run"
                        + " --backend`.",
                "A stopped cluster restarts with its previous size."
            })
    static final class Start implements Callable<Integer> {
        @Mixin private Place place = new Place();

        @Mixin private FlinkMachines leased = new FlinkMachines();

        @Option(
                names = "--machines",
                paramLabel = "N",
                description =
                        "Number of task managers, each a process; with --cloud the maximum."
                                + " Default: 2")
        private int machines = 2;

        @Option(
                names = "--slots",
                paramLabel = "N",
                description = "Task slots per task manager. Default: 2")
        private int slots = 2;

        @Option(
                names = "--memory",
                paramLabel = "MIB",
                description = "Heap per task manager in MiB. Default: 1024")
        private int memoryMegabytes = 1024;

        @Override
        public Integer call() {
            if (machines < 1 || machines > MACHINES_MAX || slots < 1 || slots > SLOTS_MAX) {
                throw PetrichorException.invalid(
                        "a cluster must have 1 to "
                                + MACHINES_MAX
                                + " machines with 1 to "
                                + SLOTS_MAX
                                + " slots each");
            }
            if (memoryMegabytes < MEMORY_MEGABYTES_MIN) {
                throw PetrichorException.invalid(
                        "a machine needs at least " + MEMORY_MEGABYTES_MIN + " MiB of memory");
            }
            boolean exists = StoreCluster.existsIn(place.folder);
            Optional<ClusterMachines> leases =
                    leased.chosen(
                            place.folder,
                            exists,
                            machines,
                            slots,
                            new FlinkDeployment(slots, memoryMegabytes, null).processMegabytes());
            Path file = FlinkMachines.file(place.folder);
            FlinkDeployment deployment =
                    new FlinkDeployment(slots, memoryMegabytes, leases.isPresent() ? file : null);
            Terminal terminal = Terminal.open(false);
            StoreCluster cluster =
                    exists
                            ? StoreCluster.open(deployment, place.folder)
                            : StoreCluster.create(
                                    deployment,
                                    place.folder,
                                    StoreCluster.Layout.here(leases.isPresent() ? 1 : machines + 1),
                                    terminal::say);
            keepOutOfGit(place.folder);
            leases.ifPresent(all -> all.write(file));
            cluster.start(terminal::say);
            if (place.json) {
                System.out.println(
                        new JsonLine()
                                .put("version", deployment.version())
                                .put(
                                        "machines",
                                        leases.map(all -> all.setting().machinesMax())
                                                .orElse(cluster.cluster().nodes().size() - 1))
                                .put("data", cluster.folder().toString())
                                .put("backend", cluster.url()));
            } else {
                terminal.say(
                        terminal.bold("flink " + deployment.version())
                                + " is ready; logs in "
                                + place.folder);
                terminal.say("");
                terminal.say("Run a job on it:");
                terminal.say("");
                System.out.println("petrichor job run --backend " + cluster.url() + " JAR");
            }
            return ExitCode.OK.number();
        }
    }

    /** Adds a .gitignore, because the current folder may be a checkout. */
    static void keepOutOfGit(Path folder) {
        Path file = folder.resolve(".gitignore");
        try {
            if (!Files.exists(file)) {
                Files.writeString(file, "*\n");
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot write " + file, e);
        }
    }

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Show whether the cluster is ready, and its load.")
    static final class Status implements Callable<Integer> {
        @Mixin private Place place = new Place();

        @Override
        public Integer call() {
            StoreCluster cluster = place.cluster();
            Optional<JsonObject> seen = FlinkDeployment.overview(cluster.cluster());
            Map<String, String> row = new LinkedHashMap<>();
            row.put("backend", cluster.url());
            row.put("state", seen.isPresent() ? "serves" : "does not answer");
            seen.ifPresent(
                    all -> {
                        row.put("machines", all.get("taskmanagers").getAsString());
                        row.put("slots", all.get("slots-total").getAsString());
                        row.put("free", all.get("slots-available").getAsString());
                        row.put("jobs", all.get("jobs-running").getAsString());
                    });
            Optional<ClusterMachines> leases = FlinkMachines.in(place.folder);
            leases.ifPresent(all -> row.put("leased", Integer.toString(all.leased())));
            leases.ifPresent(all -> bill(all, row));
            if (place.json) {
                JsonLine line = new JsonLine();
                row.forEach(line::put);
                System.out.println(line);
            } else {
                TextTable table = new TextTable(System.out);
                table.row(row);
                table.end();
            }
            return (seen.isPresent() ? ExitCode.OK : ExitCode.UNAVAILABLE).number();
        }
    }

    @Command(
            name = "stop",
            mixinStandardHelpOptions = true,
            description = "Stop the cluster; its running jobs fail.")
    static final class Stop implements Callable<Integer> {
        @Mixin private Place place = new Place();

        @Override
        public Integer call() {
            List<Node> killed = place.cluster().stop();
            Map<String, String> row = new LinkedHashMap<>();
            Optional<ClusterMachines> leases = FlinkMachines.in(place.folder);
            // Machines left behind by a killed manager.
            leases.ifPresent(ClusterMachines::giveBack);
            leases.ifPresent(all -> row.put("leased", Integer.toString(all.leased())));
            leases.ifPresent(all -> bill(all, row));
            if (place.json) {
                JsonLine line = new JsonLine();
                line.put("state", "stopped").put("killed", killed.size());
                row.forEach(line::put);
                System.out.println(line);
            } else {
                Terminal.open(false).say("Flink is stopped");
                if (leases.isPresent()) {
                    TextTable table = new TextTable(System.out);
                    table.row(row);
                    table.end();
                }
            }
            return ExitCode.OK.number();
        }
    }
}
