package petrichor.bench.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.AotCache;
import petrichor.jobs.engine.Engine;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.jobgraph.JobGraph;

/**
 * One job in a process of its own: {@code JobsMain sort input output [memory in MB]}. Prints wall
 * time, CPU seconds and peak memory of this process, its start included.
 */
public final class JobsMain {
    private static final int PARALLELISM = 2;
    private static final int RECORD_BYTES = 100;

    private JobsMain() {}

    /**
     * The command that runs a job in a process of its own, with this program's classes.
     *
     * @param memoryMegabytes 0 if it may take what it takes by itself
     */
    static List<String> command(MeasuredJob job, Path input, Path output, int memoryMegabytes) {
        List<String> command = new ArrayList<>(java());
        command.addAll(
                List.of(
                        "-Djava.io.tmpdir=" + output.toAbsolutePath().getParent(),
                        JobsMain.class.getName(),
                        job.word(),
                        input.toString(),
                        output.toString()));
        if (memoryMegabytes > 0) {
            command.add(Integer.toString(memoryMegabytes));
        }
        return command;
    }

    /** Java as it is started for jobs; a main class is missing. */
    static List<String> java() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(AotCache.flags());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:+UseTransparentHugePages",
                        "-Xmx3g",
                        "-cp",
                        System.getProperty("java.class.path")));
        return command;
    }

    static JobGraph graph(MeasuredJob job, Path input, Path output) throws IOException {
        return switch (job) {
            case SORT -> BenchJobs.sort(input, output, PARALLELISM);
            case WORDS -> BenchJobs.wordCount(input, output, PARALLELISM);
            case SMALLEST -> {
                long records = Files.size(input) / RECORD_BYTES;
                yield BenchJobs.smallest(
                        input, output, records / MeasuredJob.SMALLEST_PARTS, PARALLELISM);
            }
            case Q3 -> BenchJobs.q3(input, output, PARALLELISM);
        };
    }

    public static void main(String[] arguments) throws IOException {
        Path input = Path.of(arguments[1]);
        Path output = Path.of(arguments[2]);
        Files.deleteIfExists(output);
        JobGraph graph = graph(MeasuredJob.of(arguments[0]), input, output);
        EngineOptions options = EngineOptions.ofThisProcess();
        if (arguments.length > 3) {
            options = options.withMemoryBytes(Long.parseLong(arguments[3]) << 20);
        }
        JobResult result = new Engine(options).run(graph);
        System.out.printf(
                "%s: %.2f s in the engine, %d MB spilled, %s%n",
                arguments[0],
                result.elapsed().toMillis() / 1e3,
                result.spilledBytes() >> 20,
                ProcessFigures.ofThis());
    }
}
