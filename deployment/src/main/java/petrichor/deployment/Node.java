package petrichor.deployment;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * One server process of a cluster.
 *
 * @param number from 1
 * @param address on which it listens: a loopback address on this machine, otherwise the host's own
 * @param ports by the names of {@link StoreDeployment#ports}
 * @param folder its own, absolute, on its host
 * @param supplies the place of each {@link Dependency} on its host, by the supply's name
 */
public record Node(
        int number,
        String address,
        Map<String, Integer> ports,
        Path folder,
        Map<String, Path> supplies) {
    public Node {
        // Sorted, for consistent display.
        ports = Collections.unmodifiableSortedMap(new TreeMap<>(ports));
        supplies = Map.copyOf(supplies);
    }

    public int port(String port) {
        Integer number = ports.get(port);
        if (number == null) {
            throw new IllegalArgumentException(
                    "the node has no port '" + port + "', only " + ports);
        }
        return number;
    }

    public Path supply(String supply) {
        Path place = supplies.get(supply);
        if (place == null) {
            throw new IllegalArgumentException(
                    "the node has no supply '" + supply + "', only " + supplies.keySet());
        }
        return place;
    }

    @Override
    public String toString() {
        return number + " on " + address + " " + ports;
    }
}
