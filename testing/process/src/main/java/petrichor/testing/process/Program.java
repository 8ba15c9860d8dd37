package petrichor.testing.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How this very program is started once more, in a process of its own. */
public final class Program {
    /** Without these our libraries do not run as they should. */
    private static final List<String> NEEDED_FLAGS =
            List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");

    /** What the launcher sets besides, so that what is measured and tested is what users run. */
    public static final List<String> LAUNCHER_FLAGS =
            List.of(
                    "-XX:+ExitOnOutOfMemoryError",
                    "-XX:+UseParallelGC",
                    "-XX:-UseGCOverheadLimit",
                    "-Xms128m",
                    "-XX:NewSize=64m");

    private static final String MAIN = "petrichor.cli.Petrichor";

    /** Where the plugins of datastores are, if not beside the jar. */
    private static final String STORES = "petrichor.stores";

    private Program() {}

    /**
     * The command {@code petrichor} with these arguments.
     *
     * @param jvmFlags beside those of the launcher
     */
    public static List<String> petrichor(List<String> jvmFlags, List<String> arguments) {
        List<String> command = jvm(LAUNCHER_FLAGS);
        command.addAll(jvmFlags);
        command.addAll(assembled());
        command.addAll(arguments);
        return command;
    }

    /** Another class of our class path. */
    public static List<String> main(String main, List<String> jvmFlags, List<String> arguments) {
        List<String> command = jvm(jvmFlags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(arguments);
        return command;
    }

    private static List<String> jvm(List<String> flags) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(NEEDED_FLAGS);
        command.addAll(flags);
        String stores = System.getProperty(STORES);
        if (stores != null) {
            command.add("-D" + STORES + "=" + stores);
        }
        return command;
    }

    /** The jar with its libraries beside it as users have it, once it has been assembled. */
    private static List<String> assembled() {
        String classPath = System.getProperty("java.class.path");
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            Path jar = Path.of(entry);
            if (jar.endsWith("petrichor.jar") && Files.isDirectory(jar.resolveSibling("lib"))) {
                return List.of("-jar", jar.toAbsolutePath().toString());
            }
        }
        return List.of("-cp", classPath, MAIN);
    }
}
