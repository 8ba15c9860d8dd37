/**
 * The cost-based optimizer: from contracts to job graphs. Start at {@link
 * petrichor.jobs.pact.compiler.Compiler}; {@link petrichor.jobs.pact.compiler.Explanation}
 * describes its choices.
 *
 * <p>After D. Battré et al., "Nephele/PACTs" (SoCC 2010): physical properties of data sets
 * (distribution over subtasks, order within each) are tracked through user code by its promises;
 * more expensive candidates survive only for interesting properties.
 */
@NullMarked
package petrichor.jobs.pact.compiler;

import org.jspecify.annotations.NullMarked;
