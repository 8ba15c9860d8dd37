package petrichor.deployment;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The persistent record of a cluster: {@code cluster.properties} in its folder. Readable only by
 * its owner, because it contains the cluster's secret.
 *
 * @param store the name of the deployment
 * @param version of the server that created the data
 * @param hosts of the nodes, in order
 */
record ClusterFile(
        String store,
        String version,
        Cluster cluster,
        List<Host> hosts,
        List<Map<String, String>> environments) {
    static final String NAME = "cluster.properties";
    private static final String FORMAT = "1";

    ClusterFile {
        hosts = List.copyOf(hosts);
        environments = List.copyOf(environments);
    }

    static boolean existsIn(Path folder) {
        return Files.exists(folder.resolve(NAME));
    }

    static ClusterFile read(Path folder) {
        Properties all = new Properties();
        try (Reader text = Files.newBufferedReader(folder.resolve(NAME))) {
            all.load(text);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        if (!FORMAT.equals(all.getProperty("format"))) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "{file} was written by another version of this program",
                    "file",
                    folder.resolve(NAME));
        }
        List<Node> nodes = new ArrayList<>();
        List<Host> hosts = new ArrayList<>();
        List<Map<String, String>> environments = new ArrayList<>();
        for (int i = 1; all.containsKey("node." + i + ".address"); i++) {
            String node = "node." + i + ".";
            Map<String, Integer> ports = new TreeMap<>();
            below(all, node + "port.").forEach((name, n) -> ports.put(name, Integer.valueOf(n)));
            Map<String, Path> supplies = new TreeMap<>();
            below(all, node + "supply.").forEach((name, at) -> supplies.put(name, Path.of(at)));
            nodes.add(
                    new Node(
                            i,
                            all.getProperty(node + "address"),
                            ports,
                            Path.of(all.getProperty(node + "folder")),
                            supplies));
            hosts.add(host(all, node));
            environments.add(below(all, node + "environment."));
        }
        return new ClusterFile(
                all.getProperty("store"),
                all.getProperty("version"),
                new Cluster(all.getProperty("name"), nodes, all.getProperty("secret")),
                hosts,
                environments);
    }

    private static Host host(Properties all, String node) {
        String destination = all.getProperty(node + "host");
        String space = all.getProperty(node + "namespace");
        if (space != null) {
            return new Host.Namespace(space, all.getProperty(node + "namespace-address"));
        }
        if (destination == null) {
            return new Host.ThisMachine();
        }
        return new Host.OverSsh(
                destination,
                Optional.ofNullable(all.getProperty(node + "user")),
                List.copyOf(below(all, node + "ssh-option.").values()));
    }

    private static Map<String, String> below(Properties all, String prefix) {
        Map<String, String> below = new TreeMap<>();
        for (String name : all.stringPropertyNames()) {
            if (name.startsWith(prefix)) {
                below.put(name.substring(prefix.length()), all.getProperty(name));
            }
        }
        return below;
    }

    static PetrichorException existsAlready(Path folder) {
        return PetrichorException.of(
                ErrorCode.ALREADY_EXISTS, "there is a store in {folder} already", "folder", folder);
    }

    /** Atomically creates the file: ALREADY_EXISTS if another command was faster. */
    void write(Path folder) {
        Properties all = new Properties();
        all.setProperty("format", FORMAT);
        all.setProperty("store", store);
        all.setProperty("version", version);
        all.setProperty("name", cluster.name());
        all.setProperty("secret", cluster.secret());
        for (Node node : cluster.nodes()) {
            String prefix = "node." + node.number() + ".";
            all.setProperty(prefix + "address", node.address());
            all.setProperty(prefix + "folder", node.folder().toString());
            node.ports()
                    .forEach((name, n) -> all.setProperty(prefix + "port." + name, n.toString()));
            node.supplies()
                    .forEach((name, at) -> all.setProperty(prefix + "supply." + name, at + ""));
            environments
                    .get(node.number() - 1)
                    .forEach(
                            (name, value) ->
                                    all.setProperty(prefix + "environment." + name, value));
            putHost(all, prefix, hosts.get(node.number() - 1));
        }
        Path file = folder.resolve(NAME);
        try {
            Files.createDirectories(folder);
            Path started =
                    Files.createTempFile(
                            folder,
                            ".cluster",
                            "",
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
            try (Writer text = Files.newBufferedWriter(started)) {
                all.store(text, "Written by `petrichor store`; holds a secret.");
            }
            try {
                // Unlike a rename, a link never replaces an existing file.
                Files.createLink(file, started);
            } catch (FileAlreadyExistsException another) {
                throw existsAlready(folder);
            } finally {
                Files.delete(started);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void putHost(Properties all, String prefix, Host host) {
        switch (host) {
            case Host.ThisMachine _ -> {}
            case Host.Namespace(String space, String address) -> {
                all.setProperty(prefix + "namespace", space);
                all.setProperty(prefix + "namespace-address", address);
            }
            case Host.OverSsh(String destination, Optional<String> user, List<String> options) -> {
                all.setProperty(prefix + "host", destination);
                user.ifPresent(who -> all.setProperty(prefix + "user", who));
                for (int i = 0; i < options.size(); i++) {
                    // Read back in the order of these numbers.
                    all.setProperty(
                            prefix + "ssh-option." + String.format("%03d", i), options.get(i));
                }
            }
        }
    }
}
