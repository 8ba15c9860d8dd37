package petrichor.jobs.local;

import petrichor.jobs.pact.Plan;

/**
 * The entry point of a jar for {@code petrichor job run}: implemented by a public class with a
 * constructor without parameters. It only builds the plan; it does not run it.
 *
 * <pre>{@code
 * public final class WordCount implements JobProgram {
 *     @Override
 *     public Plan plan(Arguments arguments) {
 *         var plan = Plan.named("word count").parallelism(arguments.whole("parallelism", 2));
 *         plan.read(new TextSource(arguments.text("input")))...
 *         return plan;
 *     }
 * }
 * }</pre>
 */
public interface JobProgram {
    /**
     * @param arguments the arguments after the jar on the command line
     */
    Plan plan(Arguments arguments) throws Exception;
}
