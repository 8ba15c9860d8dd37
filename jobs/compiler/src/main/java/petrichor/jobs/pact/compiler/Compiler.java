package petrichor.jobs.pact.compiler;

import java.util.List;
import java.util.Map;
import petrichor.jobs.pact.PactNode;
import petrichor.jobs.pact.Plan;

/**
 * A cost-based optimizer: turns a plan into job graphs, in this order:
 *
 * <ol>
 *   <li>{@link PlanCheck} refuses an invalid plan.
 *   <li>{@link ProgramParts} extracts iterations.
 *   <li>{@link Rewriting} pushes filters down towards the sources.
 *   <li>{@link Estimates} and {@link Uniqueness} estimate sizes and infer unique keys.
 *   <li>{@link Enumerator} builds candidates, prices them by {@link CostModel} and prunes all but
 *       the cheapest for each {@linkplain InterestingProperties interesting property}.
 *   <li>{@link GraphWriter} translates the cheapest to a job graph with operator chains, {@link
 *       PipelineBreaks} inserts files where pipelines could deadlock.
 * </ol>
 *
 * Stateless; any thread.
 */
public final class Compiler {
    private final CostModel model;
    private final Map<String, Integer> learned;

    private Compiler(CostModel model, Map<String, Integer> learned) {
        this.model = model;
        this.learned = Map.copyOf(learned);
    }

    public static Compiler standard() {
        return new Compiler(CostModel.DEFAULT, Map.of());
    }

    public static Compiler with(CostModel model) {
        return new Compiler(model, Map.of());
    }

    /**
     * Overrides the plan's parallelism by contract signature, as reported by {@link
     * petrichor.jobs.jobgraph.Annotations#contracts} of an earlier run of the same program.
     */
    public Compiler with(Map<String, Integer> subtasks) {
        return new Compiler(model, subtasks);
    }

    /** Compiles a plan without iterations, or with a place where their records are kept. */
    public Program compile(Plan plan, IntermediateStore keeping) {
        PlanCheck.check(plan);
        return new ProgramParts(plan, keeping, new OnePart(plan.parallelism())).program();
    }

    public Program compile(Plan plan) {
        return compile(plan, IntermediateStore.none());
    }

    private final class OnePart implements ProgramParts.PartCompiler {
        private final int parallelism;

        OnePart(int parallelism) {
            this.parallelism = parallelism;
        }

        @Override
        public Program.Once compile(String name, List<PactNode> sinks) {
            var signatures = new ContractSignatures();
            var plan =
                    Rewriting.of(
                            LogicalPlan.of(
                                    name,
                                    sinks,
                                    parallelism,
                                    node -> learned.getOrDefault(signatures.of(node), 0)));
            var uniqueness = new Uniqueness();
            var estimates = new Estimates(uniqueness);
            var best = new Enumerator(plan, model, uniqueness, estimates).best();
            var graph = new GraphWriter(name, uniqueness, signatures).write(best);
            return new Program.Once(PipelineBreaks.in(graph).checked(), Explaining.of(name, best));
        }

        @Override
        public Size estimate(PactNode node) {
            return new Estimates(new Uniqueness()).of(node);
        }
    }
}
