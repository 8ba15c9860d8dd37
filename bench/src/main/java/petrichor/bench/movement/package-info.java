/**
 * {@code petrichor bench movement}: the experiments of seed 000, chapters 6 and 8, with a change
 * feed, live migration, replication, and backup and restore.
 */
@NullMarked
package petrichor.bench.movement;

import org.jspecify.annotations.NullMarked;
