package petrichor.bench.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.local.Jobs;

/**
 * Finds the smallest keys repeatedly in one process, with and without profiling its subtasks and
 * channels: {@code ProfilingMain input output pairs}. Every record is read, sent through a channel
 * and sorted, but little is kept and nothing is written: the costs of memory and files would hide
 * the effect. Prints the processor seconds of each pair, with profiling first. The order within a
 * pair alternates, so that a machine that slows down affects both alike.
 */
public final class ProfilingMain {
    /** Until the JIT compiler has settled. */
    private static final int WARM_UP_PAIRS = 10;

    private final ProcessorClock clock;
    private final Path input;
    private final Path output;

    private ProfilingMain(ProcessorClock clock, Path input, Path output) {
        this.clock = clock;
        this.input = input;
        this.output = output;
    }

    static List<String> command(Path input, Path output, int pairs) {
        List<String> command = new ArrayList<>(JobsMain.java());
        command.addAll(
                List.of(
                        ProfilingMain.class.getName(),
                        input.toString(),
                        output.toString(),
                        Integer.toString(pairs)));
        return command;
    }

    public static void main(String[] arguments) throws IOException {
        int pairs = Integer.parseInt(arguments[2]);
        EngineOptions profiled = EngineOptions.ofThisProcess();
        EngineOptions bare = profiled.withoutProfile();
        try (ProcessorClock clock = new ProcessorClock()) {
            ProfilingMain runs =
                    new ProfilingMain(clock, Path.of(arguments[0]), Path.of(arguments[1]));
            for (int pair = -WARM_UP_PAIRS; pair < pairs; pair++) {
                boolean bareFirst = Math.floorMod(pair, 2) == 1;
                double without = bareFirst ? runs.seconds(bare) : 0;
                double with = runs.seconds(profiled);
                without = bareFirst ? without : runs.seconds(bare);
                if (pair >= 0) {
                    System.out.printf(Locale.ROOT, "%.6f %.6f%n", with, without);
                }
            }
        }
    }

    private double seconds(EngineOptions options) throws IOException {
        Files.deleteIfExists(output);
        // So that a run's garbage is not collected during the next one.
        System.gc();
        long before = clock.nanos();
        Jobs.local().with(options).run(JobsMain.plan(MeasuredJob.SMALLEST, input, output));
        return (clock.nanos() - before) / 1e9;
    }
}
