/**
 * The cost model of placements: what the operations of a workload cost on a number of nodes, and
 * which placement pays off.
 *
 * <p>{@link petrichor.placement.advisor.EvenRanges} divides rows among nodes as stores of ordered
 * ranges do. {@link petrichor.placement.advisor.Usage} counts the nodes, messages, rows and bytes
 * of operations from their reads and writes, {@link petrichor.placement.advisor.Estimate} is the
 * result, and {@link petrichor.placement.advisor.Choice} compares results. {@link
 * petrichor.placement.advisor.CoAccess} groups keys that are read together. Nothing here reads or
 * writes a store.
 */
@NullMarked
package petrichor.placement.advisor;

import org.jspecify.annotations.NullMarked;
