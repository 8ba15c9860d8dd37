/**
 * Cassandra as a datastore. Rows are in partitions of bounded size, ordered across them by {@code
 * petrichor.kv.ranges}; all reads and writes are at QUORUM. Versioned rows carry their version as
 * Cassandra's timestamp, so that Cassandra itself lets the newer one win; rows without versions are
 * changed only by conditional writes (Paxos), which need no clock.
 */
@NullMarked
package petrichor.kv.cassandra;

import org.jspecify.annotations.NullMarked;
