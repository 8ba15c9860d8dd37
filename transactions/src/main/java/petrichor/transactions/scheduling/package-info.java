/** Threads, deadlines and event loops, and what a simulation puts in their place. */
@NullMarked
package petrichor.transactions.scheduling;

import org.jspecify.annotations.NullMarked;
