package petrichor.jobs.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import petrichor.jobs.engine.Engine;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.pact.compiler.Explanation;
import petrichor.jobs.pact.compiler.Program;

/**
 * Runs plans in this process.
 *
 * <pre>{@code
 * Jobs.local().run(plan);
 * }</pre>
 *
 * A run ends with its sinks written, or fails with {@link petrichor.base.PetrichorException} and
 * leaves nothing of them. Safe for all threads; runs share nothing but the machine.
 */
public final class Jobs {
    private final EngineOptions options;
    private final Compiler compiler;

    private Jobs(EngineOptions options, Compiler compiler) {
        this.options = options;
        this.compiler = compiler;
    }

    public static Jobs local() {
        return new Jobs(EngineOptions.ofThisProcess(), Compiler.standard());
    }

    public Jobs with(EngineOptions newOptions) {
        return new Jobs(newOptions, compiler);
    }

    public Jobs with(Compiler newCompiler) {
        return new Jobs(options, newCompiler);
    }

    /**
     * What was done.
     *
     * @param elapsed from the call of {@link #run} to its end, compiling included
     * @param runs one per job graph that was run: of an iteration one per round
     */
    public record Done(Duration elapsed, List<JobResult> runs) {
        public Done {
            runs = List.copyOf(runs);
        }
    }

    /** Compiles and runs to the end. */
    public Done run(Plan plan) {
        long begun = System.nanoTime();
        var runs = new ArrayList<JobResult>();
        try (var kept = KeptRecords.in(options.spillFolder())) {
            var engine = new Engine(options);
            for (var part : compiler.compile(plan, kept).parts()) {
                switch (part) {
                    case Program.Once once -> runs.add(engine.run(once.graph()));
                    case Program.Rounds rounds -> runs.addAll(repeat(engine, rounds, kept));
                }
            }
        }
        return new Done(Duration.ofNanos(System.nanoTime() - begun), runs);
    }

    private static List<JobResult> repeat(Engine engine, Program.Rounds rounds, KeptRecords kept) {
        var runs = new ArrayList<JobResult>();
        boolean open = true;
        for (int round = 0; round < rounds.rounds() && open; round++) {
            runs.add(engine.run(rounds.graph()));
            kept.replace(rounds.current(), rounds.next());
            var deciding = rounds.open();
            open = deciding == null || kept.holdsRecords(deciding);
        }
        return runs;
    }

    /** What would be run, and why so: one explanation per job graph. Nothing is run. */
    public List<Explanation> explain(Plan plan) {
        try (var kept = KeptRecords.in(options.spillFolder())) {
            return compiler.compile(plan, kept).parts().stream()
                    .map(Program.Part::explanation)
                    .toList();
        }
    }
}
