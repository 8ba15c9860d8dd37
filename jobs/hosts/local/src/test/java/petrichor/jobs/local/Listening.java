package petrichor.jobs.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** TCP ports with a listener, from Linux' proc file system; none elsewhere. */
final class Listening {
    private static final String LISTEN = "0A";
    private static final int ADDRESS = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    private Listening() {}

    /** Ports of all processes. */
    static Set<Integer> all() {
        return new TreeSet<>(byInode().values());
    }

    /** Ports of one process; none if it has ended. */
    static Set<Integer> ports(long pid) {
        Map<String, Integer> all = byInode();
        Set<Integer> ports = new TreeSet<>();
        try (var open = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            for (Path file : open.toList()) {
                Integer port = all.get(target(file));
                if (port != null) {
                    ports.add(port);
                }
            }
        } catch (IOException e) {
            return ports; // It has ended meanwhile.
        }
        return ports;
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static Map<String, Integer> byInode() {
        Map<String, Integer> ports = new HashMap<>();
        for (String table : new String[] {"/proc/net/tcp", "/proc/net/tcp6"}) {
            try {
                for (String line : Files.readAllLines(Path.of(table))) {
                    String[] fields = line.strip().split("\\s+", -1);
                    if (fields[STATE].equals(LISTEN)) {
                        String port = fields[ADDRESS].substring(fields[ADDRESS].indexOf(':') + 1);
                        ports.put("socket:[" + fields[INODE] + "]", Integer.parseInt(port, 16));
                    }
                }
            } catch (IOException _) {
                // This system has no such table.
            }
        }
        return ports;
    }
}
