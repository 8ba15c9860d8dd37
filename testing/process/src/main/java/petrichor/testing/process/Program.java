package petrichor.testing.process;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines that start this program again as a separate process. */
public final class Program {
    /** Flags that libraries need. */
    private static final List<String> NEEDED_FLAGS =
            List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");

    /** Further flags of the launcher, so that tests and benchmarks run what users run. */
    public static final List<String> LAUNCHER_FLAGS =
            List.of(
                    "-XX:+ExitOnOutOfMemoryError",
                    "-XX:+UseParallelGC",
                    "-XX:-UseGCOverheadLimit",
                    "-Xms24m",
                    "-XX:NewSize=8m",
                    "-XX:TrimNativeHeapInterval=5000");

    /** More flags of the launcher, for commands that only ask a server, such as a deployment. */
    public static final List<String> SHORT_COMMAND_FLAGS = List.of("-XX:TieredStopAtLevel=1");

    private static final String MAIN = "petrichor.cli.Petrichor";

    /**
     * The jar of the assembled product, set by the launcher. Without it, the class path is used.
     */
    private static final String JAR = "petrichor.jar";

    /** Plugin folders that are not next to the jar; passed on to each process. */
    private static final List<String> PLUGIN_FOLDERS =
            List.of("petrichor.stores", "petrichor.backends");

    private Program() {}

    /**
     * The command {@code petrichor} with these arguments.
     *
     * @param jvmFlags in addition to those of the launcher
     */
    public static List<String> petrichor(List<String> jvmFlags, List<String> arguments) {
        List<String> command = jvm(LAUNCHER_FLAGS);
        command.addAll(jvmFlags);
        command.addAll(assembled());
        command.addAll(arguments);
        return command;
    }

    /** Runs another class of this class path. */
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
        for (String property : PLUGIN_FOLDERS) {
            String folder = System.getProperty(property);
            if (folder != null) {
                command.add("-D" + property + "=" + folder);
            }
        }
        return command;
    }

    /** The assembled product, or its classes in tests, which run before it is assembled. */
    private static List<String> assembled() {
        String jar = System.getProperty(JAR);
        if (jar == null) {
            return List.of("-cp", System.getProperty("java.class.path"), MAIN);
        }
        File trained = new File(jar.replaceFirst("\\.jar$", ".aot"));
        return trained.lastModified() > new File(jar).lastModified()
                ? List.of("-XX:AOTCache=" + trained, "-jar", jar)
                : List.of("-jar", jar);
    }
}
