/**
 * Order across the partitions of a store that keeps order only inside one (Cassandra). A table is a
 * list of ranges, each in a partition of its own; the list is kept in the store, and a partition
 * that has grown too big is replaced by smaller ones. {@link petrichor.kv.ranges.PartitionedRows}
 * is what such a store gives, {@link petrichor.kv.ranges.RangedStore} is the store that is made of
 * it. Why a split loses nothing and shows nothing twice: {@code
 * docs/design/2026-11-21-range-directory.md}.
 */
@NullMarked
package petrichor.kv.ranges;

import org.jspecify.annotations.NullMarked;
