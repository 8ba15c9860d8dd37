package petrichor.bench.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.service.Backends;

/**
 * One job in a process of its own: {@code JobsMain sort input output [memory in MB [backend]]}.
 * Prints wall time, CPU seconds and peak memory of this process, including its start.
 */
public final class JobsMain {
    private static final int PARALLELISM = 2;
    private static final int RECORD_BYTES = 100;

    /** A strong reference, because a logger without one is collected and loses its level. */
    private static final Logger FLINK = Logger.getLogger("org.apache");

    private JobsMain() {}

    /**
     * The command that runs a job in a process of its own, with this program's classes.
     *
     * @param memoryMegabytes 0 for the default
     */
    static List<String> command(MeasuredJob job, Path input, Path output, int memoryMegabytes) {
        List<String> command = new ArrayList<>(java());
        command.addAll(
                List.of(
                        "-Djava.io.tmpdir=" + output.toAbsolutePath().getParent(),
                        JobsMain.class.getName(),
                        job.displayName(),
                        input.toString(),
                        output.toString()));
        if (memoryMegabytes > 0) {
            command.add(Integer.toString(memoryMegabytes));
        }
        return command;
    }

    /** The same job on another runtime, which runs entirely in the job's process. */
    static List<String> command(MeasuredJob job, Path input, Path output, String backend) {
        List<String> command = new ArrayList<>(command(job, input, output, 0));
        List<String> flags =
                new ArrayList<>(
                        List.of(
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "--add-opens=java.base/java.util=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow"));
        String folder = System.getProperty(Backends.FOLDER_PROPERTY);
        if (folder != null) {
            flags.add("-D" + Backends.FOLDER_PROPERTY + "=" + folder);
        }
        command.addAll(1, flags);
        command.addAll(List.of("0", backend));
        return command;
    }

    /** The Java command for jobs, without a main class. */
    static List<String> java() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(JobContenders.JVM_FLAGS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        return command;
    }

    static Plan plan(MeasuredJob job, Path input, Path output) throws IOException {
        return switch (job) {
            case SORT, EMPTY -> BenchPlans.sort(input, output, PARALLELISM);
            case WORDS -> BenchPlans.wordCount(input, output, PARALLELISM);
            case SMALLEST -> {
                long records = Files.size(input) / RECORD_BYTES;
                yield BenchPlans.smallest(
                        input, output, records / MeasuredJob.SMALLEST_PARTS, PARALLELISM);
            }
            case Q3 -> BenchPlans.q3(input, output, PARALLELISM);
        };
    }

    public static void main(String[] arguments) throws IOException {
        Path input = Path.of(arguments[1]);
        Path output = Path.of(arguments[2]);
        Files.deleteIfExists(output);
        Plan plan = plan(MeasuredJob.of(arguments[0]), input, output);
        EngineOptions options = EngineOptions.ofThisProcess();
        long memoryMegabytes = arguments.length > 3 ? Long.parseLong(arguments[3]) : 0;
        if (memoryMegabytes > 0) {
            options = options.withMemoryBytes(memoryMegabytes << 20);
        }
        Jobs.Done done = run(plan, options, arguments.length > 4 ? arguments[4] : "");
        System.out.printf(
                "%s: %.2f s in the engine, %d MB spilled, %s%n",
                arguments[0],
                done.elapsed().toMillis() / 1e3,
                done.runs().stream().mapToLong(JobResult::spilledBytes).sum() >> 20,
                ProcessMetrics.ofThis());
    }

    private static Jobs.Done run(Plan plan, EngineOptions options, String backend) {
        Jobs jobs = Jobs.local().with(options);
        if (backend.isEmpty()) {
            return jobs.run(plan);
        }
        FLINK.setLevel(Level.WARNING);
        try (StageRuntime runtime = Backends.open(backend, List.of())) {
            return jobs.with(runtime).run(plan);
        }
    }
}
