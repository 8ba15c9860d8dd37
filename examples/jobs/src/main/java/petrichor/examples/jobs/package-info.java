/**
 * Jobs to read and to begin from. Each class is one plan, from its inputs to its result; {@link
 * petrichor.examples.jobs.Examples} runs them by name. Begin with {@link
 * petrichor.examples.jobs.WordCount}.
 */
@NullMarked
package petrichor.examples.jobs;

import org.jspecify.annotations.NullMarked;
