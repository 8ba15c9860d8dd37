package petrichor.server.doctor;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Entry points of the checks, for callers that know the configuration. */
public final class Checks {
    private Checks() {}

    public static List<Finding> machine() {
        return MachineChecks.all();
    }

    public static List<Finding> dataFolder(Path folder) {
        return FolderChecks.data(folder);
    }

    public static Finding secret(String check, Path file) {
        return FolderChecks.secret(check, file);
    }

    public static Finding port(List<InetAddress> hosts, int port) {
        return ListenChecks.port(hosts, port);
    }

    public static Finding certificate(String check, Path file, Instant now) {
        return ListenChecks.certificate(check, file, now);
    }

    public static Finding apps() {
        return AppsCheck.of(AppsCheck.probe());
    }

    /**
     * @param server host:port
     */
    public static Finding clock(String server) {
        return ClockCheck.of(server, ClockReader.read(server));
    }
}
