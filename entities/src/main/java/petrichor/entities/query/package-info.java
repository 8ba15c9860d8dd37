/**
 * Queries over entities. A request is checked and converted to disjunctive normal form ({@code
 * NormalForm}: a list of {@code Conjunction}s), each conjunction is planned onto stored indexes
 * ({@code Planner} produces {@code ScanPlan}s), the plans are scanned and merged by sort position
 * ({@code JoinWalk}, {@code MergedWalk}), and a batch is cut from the walk ({@code BatchRun}).
 *
 * <p>A <em>position</em> is the place of a result in the order of its query: the sort columns'
 * values in their order-preserving encoding, then the key's path. Positions of one query compare as
 * bytes across all its conjunctions, and a cursor is a position with a version in front: that is
 * why paging needs no state on the server.
 *
 * <p>Nothing here filters a kind in memory: every row read is a row of an index that the plan
 * names.
 */
@NullMarked
package petrichor.entities.query;

import org.jspecify.annotations.NullMarked;
