/**
 * Records in memory and on disk: blocks and the pool they come from, sorts, hash tables, and the
 * files for what does not fit. Knows bytes and records, and nothing of tasks.
 *
 * <p>Each sort, table or buffer has a {@link petrichor.jobs.engine.memory.MemoryShare}; whoever is
 * refused spills to a {@link petrichor.jobs.engine.memory.SpillFile}, which has no name, so that
 * nothing is left behind even by a killed process. Sorts and joins keep the {@linkplain
 * petrichor.jobs.channels.Block blocks} that arrive, instead of copying records once more. Long
 * loops look at {@link petrichor.jobs.engine.memory.JobControl} whether the job was stopped.
 *
 * <p>Begin with {@link petrichor.jobs.engine.memory.ExternalSort}, {@link
 * petrichor.jobs.engine.memory.HybridHashJoin}, {@link
 * petrichor.jobs.engine.memory.HashAggregation}.
 */
@NullMarked
package petrichor.jobs.engine.memory;

import org.jspecify.annotations.NullMarked;
