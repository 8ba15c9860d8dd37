package petrichor.deployment;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Selects the ports of a cluster. A port has the same number on every node, because some stores
 * support only one number for all.
 */
final class Ports {
    /** Below the range of ephemeral ports, and above the well-known ones. */
    private static final int FIRST = 22_000;

    private static final int LAST = 32_000;
    private static final int ATTEMPTS = 200;
    private static final int CONNECT_MILLIS_MAX = 2_000;

    private Ports() {}

    /**
     * The default numbers if they are free on all addresses, otherwise other free ones.
     *
     * @param usualOnes false: other numbers in any case, to avoid conflicts
     */
    static Map<String, Integer> choose(
            Map<String, Integer> usual, List<String> addresses, boolean here, boolean usualOnes) {
        Map<String, Integer> chosen = new TreeMap<>();
        Set<Integer> taken = new TreeSet<>();
        for (var port : new TreeMap<>(usual).entrySet()) {
            int number = port.getValue();
            boolean asUsual = usualOnes && taken.add(number) && freeOnAll(number, addresses, here);
            chosen.put(port.getKey(), asUsual ? number : another(taken, addresses, here));
        }
        return chosen;
    }

    private static int another(Set<Integer> taken, List<String> addresses, boolean here) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int number = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            if (taken.add(number) && freeOnAll(number, addresses, here)) {
                return number;
            }
        }
        throw PetrichorException.of(
                ErrorCode.RESOURCE_EXHAUSTED,
                "no port is free on {value} after many attempts",
                "value",
                String.join(", ", addresses));
    }

    private static boolean freeOnAll(int port, List<String> addresses, boolean here) {
        return addresses.stream().allMatch(address -> free(port, address, here));
    }

    /** On this machine by binding it briefly; elsewhere by checking that nothing listens there. */
    static boolean free(int port, String address, boolean here) {
        if (here) {
            try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getByName(address))) {
                return true;
            } catch (IOException taken) {
                return false;
            }
        }
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), CONNECT_MILLIS_MAX);
            return false;
        } catch (IOException nobody) {
            return true;
        }
    }
}
