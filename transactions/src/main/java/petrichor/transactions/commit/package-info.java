/**
 * Group commit: validation and order of commits ({@link petrichor.transactions.commit.Sequencer}),
 * durable steps, recovery, and the versions that readers see.
 */
@NullMarked
package petrichor.transactions.commit;

import org.jspecify.annotations.NullMarked;
