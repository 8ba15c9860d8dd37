package petrichor.jobs.engine;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.ExecutionGraph;

/**
 * The worker processes that a job wants. Data only.
 *
 * @param jvmArguments of each, such as {@code -Xmx1g}
 * @param jars where they find user code beside what this process has on its class path
 * @param attemptsMax how often a stage is tried at most, when its processes die
 */
public record Workers(int count, List<String> jvmArguments, List<Path> jars, int attemptsMax) {
    public static final int COUNT_MAX = 64;

    /** A JVM with less does not get far. */
    private static final long HEAP_BYTES_MIN = 64 << 20;

    public Workers {
        jvmArguments = List.copyOf(jvmArguments);
        jars = List.copyOf(jars);
        if (count < 1 || count > COUNT_MAX) {
            throw PetrichorException.invalid(
                    "a job runs in 1 to " + COUNT_MAX + " workers, not " + count);
        }
        if (attemptsMax < 1 || attemptsMax > ExecutionGraph.ATTEMPTS_MAX) {
            throw PetrichorException.invalid(
                    "a stage is tried 1 to " + ExecutionGraph.ATTEMPTS_MAX + " times");
        }
    }

    public static Workers of(int count, List<String> jvmArguments) {
        return new Workers(count, jvmArguments, List.of(), ExecutionGraph.ATTEMPTS_MAX);
    }

    /** So many that share among them as much heap as this process may have. */
    public static Workers sharingHeap(int count) {
        long share = Runtime.getRuntime().maxMemory() / Math.max(1, count);
        long megabytes = Math.max(share, HEAP_BYTES_MIN) >> 20;
        return of(
                count,
                List.of(
                        "-XX:+UseSerialGC",
                        "-Xmx" + megabytes + "m",
                        // Files and channels use memory beside the heap.
                        "-XX:MaxDirectMemorySize=" + megabytes + "m"));
    }

    public Workers withJars(List<Path> with) {
        return new Workers(count, jvmArguments, with, attemptsMax);
    }

    public Workers withAttemptsMax(int attempts) {
        return new Workers(count, jvmArguments, jars, attempts);
    }

    String classPath() {
        List<String> entries = new ArrayList<>();
        entries.add(System.getProperty("java.class.path"));
        jars.forEach(jar -> entries.add(jar.toAbsolutePath().toString()));
        return String.join(File.pathSeparator, entries);
    }
}
