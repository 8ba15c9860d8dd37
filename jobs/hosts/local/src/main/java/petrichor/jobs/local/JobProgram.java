package petrichor.jobs.local;

import petrichor.jobs.pact.Plan;

/**
 * What a jar holds so that {@code petrichor job run} can run it: a public class with a constructor
 * without parameters that implements this. It only writes the plan; it does not run it.
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
