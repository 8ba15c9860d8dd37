/**
 * Records in memory and on disk: external merge sort, hybrid hash join, hash aggregation, and the
 * files to which they spill. Knows bytes and records, and nothing of tasks.
 *
 * <p>Each sort, table or buffer has a {@link petrichor.jobs.engine.memory.MemoryShare} as its
 * budget; beyond it, data is spilled to a {@link petrichor.jobs.engine.memory.SpillFile}, which is
 * unlinked once open, so that nothing is left behind even by a killed process. Sorts and joins keep
 * the {@linkplain petrichor.jobs.channels.Block blocks} that arrive, instead of copying records
 * again. Long loops check with {@link petrichor.jobs.channels.JobControl} whether the job was
 * stopped.
 *
 * <p>Start with {@link petrichor.jobs.engine.memory.ExternalSort}, {@link
 * petrichor.jobs.engine.memory.HybridHashJoin}, {@link
 * petrichor.jobs.engine.memory.HashAggregation}.
 */
@NullMarked
package petrichor.jobs.engine.memory;

import org.jspecify.annotations.NullMarked;
