package petrichor.jobs.leased;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.cloud.Instance;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LeaseTag;
import petrichor.cloud.Listing;
import petrichor.cloud.Purchase;
import petrichor.cloud.local.LocalCloud;

/** Machines of local clouds, as somebody sees them who trusts nobody's books. */
final class MachinesHere {
    private static final String STRANGER = "stranger";

    private MachinesHere() {}

    /** The processes of all machines below a folder: what their commands name. */
    static List<String> in(Path folder) throws IOException {
        List<String> found = new ArrayList<>();
        String part = folder.toString();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : all) {
                try {
                    String environment =
                            Files.readString(
                                    process.resolve("environ"), StandardCharsets.ISO_8859_1);
                    String command =
                            Files.readString(
                                    process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
                    if (environment.contains(LocalCloud.MARK + "=") && command.contains(part)) {
                        found.add(process.getFileName() + " " + command.replace('\0', ' '));
                    }
                } catch (IOException gone) {
                    // Then it is no machine.
                }
            }
        }
        return found;
    }

    /** Takes all that a local cloud has. */
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
        try (LocalCloud cloud = LocalMachines.open(setting)) {
            if (cloud.list(STRANGER) instanceof Listing.Rows rows) {
                for (Listing.Row row : rows.rows()) {
                    if (row instanceof Listing.Row.Seen(Instance machine)) {
                        cloud.terminate(machine.id());
                    }
                }
            }
        }
    }
}
