/**
 * A {@link petrichor.coordination.Ledger} in Apache ZooKeeper, and the deployment of its servers.
 */
@NullMarked
package petrichor.coordination.zookeeper;

import org.jspecify.annotations.NullMarked;
