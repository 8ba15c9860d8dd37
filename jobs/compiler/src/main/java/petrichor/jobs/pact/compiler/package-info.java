/**
 * From contracts to job graphs, by cost. Begin reading at {@link
 * petrichor.jobs.pact.compiler.Compiler}; what it chose is said by {@link
 * petrichor.jobs.pact.compiler.Explanation}.
 *
 * <p>After D. Battré et al., "Nephele/PACTs" (SoCC 2010): properties of data sets (how records lie
 * over subtasks, in which order each has them) are tracked through user code by what it promises;
 * dearer candidates survive only for properties that somebody further on could use.
 */
@NullMarked
package petrichor.jobs.pact.compiler;

import org.jspecify.annotations.NullMarked;
