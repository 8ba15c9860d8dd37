package petrichor.jobs.leased;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import petrichor.cloud.Instance;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LeaseTag;
import petrichor.cloud.Listing;
import petrichor.cloud.Purchase;
import petrichor.cloud.local.LocalCloud;

/** The machines of local clouds, observed independently of any journal. */
final class MachinesHere {
    private static final String STRANGER = "stranger";

    private MachinesHere() {}

    /** The processes of all machines below a folder: process ids and commands. */
    static Map<Long, String> in(Path folder) throws IOException {
        Map<Long, String> found = new TreeMap<>();
        String part = folder.toString();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : all) {
                String command = read(process.resolve("cmdline")).replace('\0', ' ');
                long pid = Long.parseLong(process.getFileName().toString());
                if (command.contains(part) && !instance(pid).isEmpty()) {
                    found.put(pid, command);
                }
            }
        }
        return found;
    }

    /** The worker processes among them. */
    static List<Long> workers(Path folder) {
        try {
            return in(folder).entrySet().stream()
                    .filter(each -> each.getValue().contains(LeasedWorkerMain.class.getName()))
                    .map(Map.Entry::getKey)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The machine to which a process belongs; empty if it belongs to none. */
    static String instance(long pid) {
        for (String word : read(Path.of("/proc/" + pid + "/environ")).split("\0", -1)) {
            if (word.startsWith(LocalCloud.MARK + "=")) {
                return word.substring(LocalCloud.MARK.length() + 1);
            }
        }
        return "";
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    /** Kills all processes of a machine, until none is left. */
    static void kill(String instance) {
        if (instance.isEmpty()) {
            throw new IllegalArgumentException("that would be whatever belongs to no machine");
        }
        boolean found = true;
        while (found) {
            found = false;
            for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
                if (instance(process.pid()).equals(instance)) {
                    found |= process.destroyForcibly();
                }
            }
        }
    }

    /** Reclaims a machine, after a notice. */
    static void interrupt(LeaseSetting setting, String instance, Duration notice) {
        try (LocalCloud cloud = LocalMachines.open(setting)) {
            cloud.interrupt(instance, Instant.now().plus(notice), "somebody pays more");
        }
    }

    /** Suspends a process. */
    static void stop(long pid) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor();
    }

    /** Occupies the whole capacity of a local cloud. */
    static void occupy(LeaseSetting setting) {
        try (LocalCloud cloud = LocalMachines.open(setting)) {
            for (int i = 0; i < setting.instancesMax(); i++) {
                cloud.launch(
                        new LaunchRequest(
                                "taken-machine-" + i,
                                setting.types().getFirst().name(),
                                Purchase.ON_DEMAND,
                                Optional.empty(),
                                new LeaseTag(STRANGER, "nothing")));
            }
        }
    }

    static void release(LeaseSetting setting) {
        end(setting, STRANGER);
    }

    /** Ends all machines that a killed program had leased, before another process can use them. */
    static void clear(LeaseSetting setting) {
        end(setting, LeasedMachines.OWNER);
    }

    private static void end(LeaseSetting setting, String owner) {
        try (LocalCloud cloud = LocalMachines.open(setting)) {
            if (cloud.list(owner) instanceof Listing.Rows rows) {
                for (Listing.Row row : rows.rows()) {
                    if (row instanceof Listing.Row.Seen(Instance machine)) {
                        cloud.terminate(machine.id());
                    }
                }
            }
        }
    }
}
