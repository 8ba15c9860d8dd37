/**
 * Example jobs, as starting points for your own. Each class is one plan, from its inputs to its
 * result; {@link petrichor.examples.jobs.Examples} runs them by name. Start with {@link
 * petrichor.examples.jobs.WordCount}.
 */
@NullMarked
package petrichor.examples.jobs;

import org.jspecify.annotations.NullMarked;
