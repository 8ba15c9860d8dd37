package petrichor.deployment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.deployment.StoreCluster.Layout;

/**
 * Plans a new cluster: addresses, ports, folders, supplies, a secret. Fetches the supplies and
 * changes nothing else.
 */
record ClusterPlan(StoreDeployment deployment, Path folder, Layout layout) {
    private static final int SECRET_BYTES = 16;

    /** Distinguishes the clusters of one user on one host. */
    private static final int NAME_BYTES = 4;

    ClusterPlan {
        int count = layout.hosts().size();
        if (count < 1 || count > deployment.nodesMax()) {
            throw PetrichorException.invalid(
                    "{store} runs on 1 to {nodesMax} nodes here, not on {count}",
                    "store",
                    deployment.store(),
                    "nodesMax",
                    deployment.nodesMax(),
                    "count",
                    count);
        }
        if (ClusterFile.existsIn(folder)) {
            throw ClusterFile.existsAlready(folder);
        }
        requireEmpty(folder);
    }

    private static void requireEmpty(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            if (files.findAny().isPresent()) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "{folder} is not empty; a store needs its own folder",
                        "folder",
                        folder);
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    ClusterFile made(Progress progress) {
        List<String> addresses = new ArrayList<>();
        for (Host host : layout.hosts()) {
            addresses.add(host.address(addresses.size() + 1));
        }
        Map<String, Integer> ports =
                Ports.choose(
                        deployment.ports(),
                        addresses,
                        layout.hosts().stream().allMatch(Host.ThisMachine.class::isInstance),
                        layout.usualPorts());
        DependencyInstaller supplies = new DependencyInstaller(deployment.version(), progress);
        String elsewhere = "petrichor-stores/" + deployment.store() + "-" + random(NAME_BYTES);
        List<Node> nodes = new ArrayList<>();
        List<Map<String, String>> environments = new ArrayList<>();
        for (Host host : layout.hosts()) {
            Map<String, InstalledDependency> supplied = supplies.on(host, deployment.supplies());
            Map<String, Path> places = new TreeMap<>();
            supplied.forEach((name, one) -> places.put(name, one.place()));
            int number = nodes.size() + 1;
            nodes.add(
                    new Node(
                            number,
                            addresses.get(number - 1),
                            ports,
                            on(host, elsewhere).resolve("node-" + number),
                            places));
            environments.add(environment(supplied));
        }
        return new ClusterFile(
                deployment.store(),
                deployment.version(),
                new Cluster(deployment.store(), nodes, random(SECRET_BYTES)),
                layout.hosts(),
                environments);
    }

    /** The folder of the host's nodes; on another machine under its user's home. */
    private Path on(Host host, String elsewhere) {
        return switch (host) {
            case Host.ThisMachine _, Host.Namespace _ -> folder;
            case Host.OverSsh _ ->
                    Path.of(
                                    Shell.run(host, "cd && pwd -P")
                                            .required("find the home folder")
                                            .strip())
                            .resolve(elsewhere);
        };
    }

    private static Map<String, String> environment(Map<String, InstalledDependency> supplied) {
        Map<String, String> all = new TreeMap<>();
        for (InstalledDependency one : supplied.values()) {
            one.environment().forEach((name, path) -> all.merge(name, path, ClusterPlan::joined));
        }
        return all;
    }

    /** Two supplies may come from the same packages. */
    private static String joined(String path, String other) {
        return path.equals(other) ? path : path + ":" + other;
    }

    private static String random(int count) {
        byte[] bytes = new byte[count];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
