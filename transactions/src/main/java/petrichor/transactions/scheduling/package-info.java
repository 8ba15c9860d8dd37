/** Threads, deadlines and event loops, which a simulation can replace. */
@NullMarked
package petrichor.transactions.scheduling;

import org.jspecify.annotations.NullMarked;
