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
 * The smallest keys again and again in one process, with and without the profile of its subtasks
 * and channels: {@code ProfilingMain input output pairs}. Every record is read, sent through a
 * channel and sorted, but little is kept and nothing is written: what the system does for memory
 * and files would hide what is looked for. Prints the processor seconds of each pair, with the
 * profile first. Which one of a pair runs first changes from pair to pair, so that a machine that
 * becomes slower does harm to both.
 */
public final class ProfilingMain {
    /** Until the compiler has settled. */
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
        // What one run leaves behind is not collected in the next one's time.
        System.gc();
        long before = clock.nanos();
        Jobs.local().with(options).run(JobsMain.plan(MeasuredJob.SMALLEST, input, output));
        return (clock.nanos() - before) / 1e9;
    }
}
