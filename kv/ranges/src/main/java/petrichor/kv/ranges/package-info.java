/**
 * Order across the partitions of a store that keeps order only inside one (Cassandra). A table is a
 * list of ranges, each in its own partition; the list is kept in the store, and a partition that
 * has grown too big is replaced by smaller ones. {@link petrichor.kv.ranges.PartitionedRows} is the
 * interface to the underlying store, {@link petrichor.kv.ranges.RangedStore} the resulting store.
 * Why a split loses nothing and shows nothing twice: {@code
 * docs/design/2026-11-21-range-directory.md}.
 */
@NullMarked
package petrichor.kv.ranges;

import org.jspecify.annotations.NullMarked;
