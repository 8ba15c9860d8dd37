package petrichor.bench.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    private static final long SMALLEST = 2_000_000;

    private JobsMain() {}

    /** The command that runs a job in a process of its own, with this program's classes. */
    static List<String> command(String job, Path input, String output) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:+UseTransparentHugePages",
                "-Xmx3g",
                "-cp",
                System.getProperty("java.class.path"),
                JobsMain.class.getName(),
                job,
                input.toString(),
                output);
    }

    public static void main(String[] arguments) throws IOException {
        Path input = Path.of(arguments[1]);
        Path output = Path.of(arguments[2]);
        Files.deleteIfExists(output);
        JobGraph graph =
                switch (arguments[0]) {
                    case "sort" -> BenchJobs.sort(input, output, PARALLELISM);
                    case "words" -> BenchJobs.wordCount(input, output, PARALLELISM);
                    case "smallest" -> BenchJobs.smallest(input, output, SMALLEST, PARALLELISM);
                    case "q3" -> BenchJobs.q3(input, output, PARALLELISM);
                    case String other -> throw new IllegalArgumentException("no job " + other);
                };
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
