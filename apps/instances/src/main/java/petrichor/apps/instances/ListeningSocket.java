package petrichor.apps.instances;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Who listens on a port, according to the kernel.
 *
 * @param user id of the process that opened the socket
 * @param inode of the socket, which names it among the open files of its processes
 * @param loopbackOnly false if other machines can connect
 */
record ListeningSocket(int user, long inode, boolean loopbackOnly) {
    private static final List<Path> TABLES =
            List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    private static final String LISTEN = "0A";
    private static final int ADDRESS_FIELD = 1;
    private static final int STATE_FIELD = 3;
    private static final int USER_FIELD = 7;
    private static final int INODE_FIELD = 9;
    private static final int HEX = 16;

    /** Addresses are in the byte order of the machine, in words of four bytes. */
    private static final String LOOPBACK_V4_END = "7F";

    private static final String LOOPBACK_V6 = "00000000000000000000000001000000";
    private static final String MAPPED_V4 = "0000000000000000FFFF0000";

    /** Empty if there is none, or where the kernel does not say. */
    static Optional<ListeningSocket> on(int port) {
        Optional<ListeningSocket> found = Optional.empty();
        for (Path table : TABLES) {
            try {
                for (String line : Files.readAllLines(table)) {
                    Optional<ListeningSocket> parsed = parse(line, port);
                    // Report the one that other machines can reach, if there are two.
                    if (parsed.isPresent()
                            && found.map(ListeningSocket::loopbackOnly).orElse(true)) {
                        found = parsed;
                    }
                }
            } catch (IOException notLinux) {
                // Then the listener is unknown.
            }
        }
        return found;
    }

    static Optional<ListeningSocket> parse(String line, int port) {
        String[] fields = line.strip().split("\\s+", -1);
        if (fields.length <= INODE_FIELD || !fields[STATE_FIELD].equals(LISTEN)) {
            return Optional.empty();
        }
        String[] local = fields[ADDRESS_FIELD].split(":", -1);
        if (Integer.parseInt(local[1], HEX) != port) {
            return Optional.empty();
        }
        return Optional.of(
                new ListeningSocket(
                        Integer.parseInt(fields[USER_FIELD]),
                        Long.parseLong(fields[INODE_FIELD]),
                        isLoopback(local[0])));
    }

    private static boolean isLoopback(String address) {
        String v4 = address.startsWith(MAPPED_V4) ? address.substring(MAPPED_V4.length()) : address;
        return v4.length() == 8 ? v4.endsWith(LOOPBACK_V4_END) : address.equals(LOOPBACK_V6);
    }
}
