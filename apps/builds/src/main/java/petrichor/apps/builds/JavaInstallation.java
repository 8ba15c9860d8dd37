package petrichor.apps.builds;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** An installed JDK or JRE. */
record JavaInstallation(Path home, String version) {
    /**
     * The oldest that reaches the version, or the newest if any will do; FAILED_PRECONDITION says
     * what to install.
     */
    static JavaInstallation find(
            AppRuntime runtime, Tools tools, @Nullable BuildUser user, boolean compiler)
            throws IOException {
        List<JavaInstallation> suitable = new ArrayList<>();
        Set<String> others = new LinkedHashSet<>();
        for (Path candidate : tools.find("java")) {
            JavaInstallation java = of(candidate);
            if (java == null) {
                continue;
            }
            boolean compiles = Files.isExecutable(java.home().resolve("bin/javac"));
            if (runtime.isReachedBy(java.version()) && (compiles || !compiler)) {
                suitable.add(java);
            } else {
                others.add(java.version() + (compiles ? "" : " without compiler"));
            }
        }
        suitable.sort((left, right) -> AppRuntime.compare(left.version(), right.version()));
        if (runtime.version().isEmpty()) {
            Collections.reverse(suitable);
        }
        for (JavaInstallation java : suitable) {
            if (tools.ask(java.home().resolve("bin/java"), List.of("-version"), user) != null) {
                return java;
            }
            others.add(java.version() + " not executable");
        }
        throw PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "{runtime} is not installed{kind} for the user of builds (found: {found}):"
                        + " install a JDK",
                "runtime",
                runtime.titleOrNewer(),
                "kind",
                compiler ? " with its compiler" : "",
                "found",
                others.isEmpty() ? "none" : String.join(", ", others));
    }

    private static @Nullable JavaInstallation of(Path executable) throws IOException {
        Path bin = executable.toRealPath().getParent();
        Path home = bin == null ? null : bin.getParent();
        if (home == null || !Files.isReadable(home.resolve("release"))) {
            return null;
        }
        Properties release = new Properties();
        try (BufferedReader reader = Files.newBufferedReader(home.resolve("release"))) {
            release.load(reader);
        }
        String version = release.getProperty("JAVA_VERSION", "").replace("\"", "");
        // Java 8 calls itself 1.8.
        version = version.startsWith("1.") ? version.substring(2) : version;
        return version.isEmpty() ? null : new JavaInstallation(home, version);
    }
}
