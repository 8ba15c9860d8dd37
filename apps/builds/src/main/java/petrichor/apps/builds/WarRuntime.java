package petrichor.apps.builds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Google's Java runtime, which serves apps with a WEB-INF folder: servlets of {@code javax.servlet}
 * 3.1 on Jetty 9.4, the bundled services, and static files. JSPs must be compiled in the app's own
 * build. The runtime is a layer, downloaded with Maven. Stateless.
 */
final class WarRuntime {
    static final String WEB_INF = "WEB-INF";

    /** Google publishes newer runtimes only with its own images. */
    private static final String ARTIFACT = "com.google.appengine:runtime-deployment:2.0.19:zip";

    private static final String UNPACK =
            "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack";

    private static final String JAR = "runtime-main.jar";
    private static final String MAIN = "com.google.apphosting.runtime.JavaRuntimeMainWithDefaults";

    /** With these, the runtime reads classes of the JDK, as on App Engine. */
    private static final List<String> OPENED =
            List.of(
                    "java.base/java.lang",
                    "java.base/java.nio.charset",
                    "java.base/java.util.concurrent",
                    "java.logging/java.util.logging");

    private static final String DESCRIPTOR =
            "<appengine-web-app xmlns=\"http://appengine.google.com/ns/1.0\">"
                    + "<runtime>java21</runtime><threadsafe>true</threadsafe>"
                    + "</appengine-web-app>";

    private WarRuntime() {}

    /** Whether the folder has an exploded WAR or exactly one .war file. */
    static boolean isWar(Path folder) throws IOException {
        return Files.isDirectory(folder.resolve(WEB_INF)) || archives(folder).size() == 1;
    }

    static List<Path> archives(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(".war"))
                    .sorted()
                    .toList();
        }
    }

    /** The exploded WAR that Maven leaves beside the archive that it packages. */
    static List<Path> exploded(List<Path> targets) throws IOException {
        List<Path> exploded = new ArrayList<>();
        for (Path target : targets) {
            if (Files.isDirectory(target)) {
                try (Stream<Path> folders = Files.list(target)) {
                    folders.filter(folder -> Files.isDirectory(folder.resolve(WEB_INF)))
                            .sorted()
                            .forEach(exploded::add);
                }
            }
        }
        return exploded;
    }

    /** The layer of the runtime; it is the same for all versions of an app. */
    static BuildRun.Layer layer(BuildRun run, JavaInstallation java) throws IOException {
        Path maven =
                run.tools().find("mvn").stream()
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        PetrichorException.of(
                                                ErrorCode.FAILED_PRECONDITION,
                                                "Maven is not installed, which downloads the"
                                                        + " runtime of WAR apps: install the"
                                                        + " package maven"));
        String key = new ContentHash().add("war-runtime-1").add(ARTIFACT).hex();
        return run.layer(
                key,
                (folder, _) ->
                        JavaSteps.maven(
                                run,
                                java,
                                List.of(maven.toString()),
                                List.of(
                                        "-B",
                                        "-ntp",
                                        UNPACK,
                                        "-Dartifact=" + ARTIFACT,
                                        "-DoutputDirectory=" + folder)));
    }

    /**
     * Adds the descriptor without which the runtime does not start, if the app has none. The
     * build's user writes it: that user could have replaced WEB-INF by a link.
     */
    static void describe(BuildRun run, Path war) throws IOException {
        String script =
                "test -e WEB-INF/appengine-web.xml || printf '%s' \"$1\""
                        + " >WEB-INF/appengine-web.xml";
        run.run(
                FailureReason.Source.MAVEN,
                List.of("/bin/sh", "-c", script, "sh", DESCRIPTOR),
                war,
                run.environment(List.of(), Map.of()));
    }

    /** The start command of an exploded WAR; the runtime looks for its jars in its own folder. */
    static BuildSteps.Start start(JavaInstallation java, Path layer, Path war) {
        StringBuilder command = new StringBuilder("cd ").append(JavaSteps.quoted(layer.toString()));
        command.append(" && exec java");
        OPENED.forEach(
                opened -> command.append(" --add-opens=").append(opened).append("=ALL-UNNAMED"));
        command.append(" -cp ").append(JAR).append(' ').append(MAIN);
        command.append(" --fixed_application_path=").append(JavaSteps.quoted(war.toString()));
        Map<String, String> environment = new TreeMap<>(JavaSteps.environment(java));
        // Then the runtime sends API calls to this address instead of Google's.
        environment.put("GAE_PARTITION", "dev");
        return BuildSteps.Start.shell(
                "export LOCAL_API_HOSTPORT=\"${API_HOST:-localhost}:${API_PORT:-8081}\"; "
                        + command,
                environment);
    }
}
