package petrichor.server.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import petrichor.apps.instances.HostSettings;
import petrichor.apps.instances.Isolation;
import petrichor.apps.instances.IsolationFeature;
import petrichor.base.FileProblem;

/** Checks what separates deployed apps from each other and from the server. */
final class AppsCheck {
    private static final String CHECK = "app-isolation";

    private AppsCheck() {}

    /** Tries it out with the defaults of a server. */
    static Isolation probe() {
        try {
            Path folder = Files.createTempDirectory("petrichor-doctor");
            try {
                int user = HostSettings.of(folder, List.of()).users().first();
                return Isolation.probe(folder, user);
            } finally {
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot create a temporary folder", e);
        }
    }

    static Finding of(Isolation isolation) {
        String missing =
                Arrays.stream(IsolationFeature.values())
                        .filter(feature -> !isolation.has(feature))
                        .map(feature -> feature.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                        .collect(Collectors.joining(", "));
        return missing.isEmpty()
                ? Finding.ok(CHECK, "this machine offers all isolation of deployed apps")
                : Finding.warning(
                        CHECK,
                        "deployed apps would run without: " + missing,
                        "deploy only apps that you trust, or run the server as root; its log has"
                                + " the reasons, docs/apps/instances.md the requirements");
    }
}
