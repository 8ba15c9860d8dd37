package petrichor.jobs.engine.workers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import petrichor.base.AotCache;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JarClasses;
import petrichor.jobs.engine.memory.MemoryShare;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobGraph;

/**
 * Worker processes on this machine: children of this process, the same ones for all stages of a
 * job.
 *
 * @param jvmArguments of each, such as {@code -Xmx1g}
 * @param jars with user code, in addition to the class path of this process
 * @param attemptsMax limit of a stage's attempts when its processes die
 */
public record Workers(int count, List<String> jvmArguments, List<Path> jars, int attemptsMax)
        implements WorkerSource {
    public static final int COUNT_MAX = 64;

    /** A JVM with less memory does not get far. */
    private static final long HEAP_BYTES_MIN = 64 << 20;

    public Workers {
        jvmArguments = List.copyOf(jvmArguments);
        jars = List.copyOf(jars);
        if (count < 1 || count > COUNT_MAX) {
            throw PetrichorException.invalid(
                    "a job runs in 1 to " + COUNT_MAX + " workers, not {count}", "count", count);
        }
        if (attemptsMax < 1 || attemptsMax > ExecutionGraph.ATTEMPTS_MAX) {
            throw PetrichorException.invalid(
                    "a stage has 1 to " + ExecutionGraph.ATTEMPTS_MAX + " attempts");
        }
    }

    public static Workers of(int count, List<String> jvmArguments) {
        return new Workers(count, jvmArguments, List.of(), ExecutionGraph.ATTEMPTS_MAX);
    }

    /** Workers that share as much heap as this process may have. */
    public static Workers sharingHeap(int count) {
        long share = Runtime.getRuntime().maxMemory() / Math.max(1, count);
        long megabytes = Math.max(share, HEAP_BYTES_MIN) >> 20;
        return of(
                count,
                List.of(
                        "-XX:+UseSerialGC",
                        "-Xmx" + megabytes + "m",
                        // Files and channels use memory outside the heap.
                        "-XX:MaxDirectMemorySize=" + megabytes + "m"));
    }

    public Workers withJars(List<Path> with) {
        return new Workers(count, jvmArguments, with, attemptsMax);
    }

    public Workers withAttemptsMax(int attempts) {
        return new Workers(count, jvmArguments, jars, attempts);
    }

    @Override
    public JobWorkers open(JobGraph graph, EngineOptions options) {
        return new JobWorkers() {
            @Override
            public boolean byStage() {
                return false;
            }

            @Override
            public CompletableFuture<Gathered> gather(int stage) {
                return CompletableFuture.completedFuture(gathered(start(), options));
            }

            @Override
            public void close() {}
        };
    }

    /** These processes, each with an equal share of the job's memory. */
    JobWorkers.Gathered gathered(List<WorkerLink> links, EngineOptions options) {
        long each = Math.max(MemoryShare.BYTES_MIN, options.memoryBytes() / count);
        return new JobWorkers.Gathered(
                links, SlotAssignment.even(count), Collections.nCopies(count, each));
    }

    @Override
    public ReusableWorkers kept() {
        return new ReusableWorkers(this);
    }

    /** Starts all of them. */
    List<WorkerLink> start() {
        List<WorkerLink> links = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                links.add(ChildProcess.start(this));
            }
        } catch (IOException e) {
            links.forEach(WorkerLink::close);
            throw FileProblem.of("cannot start a worker process", e);
        }
        return links;
    }

    /** The command line that starts such a process. */
    public List<String> command(Class<?> main) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(AotCache.flags());
        // Compression of channels is native code.
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(jvmArguments);
        if (!jars.isEmpty()) {
            command.add(JarClasses.jvmArgument(jars));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        return command;
    }
}
