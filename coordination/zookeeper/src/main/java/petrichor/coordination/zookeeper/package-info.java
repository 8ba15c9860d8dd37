/** A {@link petrichor.coordination.Ledger} in Apache ZooKeeper, and how its servers are run. */
@NullMarked
package petrichor.coordination.zookeeper;

import org.jspecify.annotations.NullMarked;
