/**
 * The shared state of a cluster: its members ({@link petrichor.coordination.Membership}), the
 * holder and epoch of each name ({@link petrichor.coordination.Claim}), and small values. It is
 * kept in a {@link petrichor.coordination.Ledger}: small entries, several of which change
 * atomically, such as in ZooKeeper.
 *
 * <p>A server has one lease on everything that it holds, and renews it by <em>writing</em> to the
 * ledger. Other servers may take over once they have seen no renewal for the whole lease by their
 * own clocks, counted from when they read the last one. The server itself stops when the lease has
 * expired by its own clock, counted from before it sent that renewal. So the holder notices first,
 * regardless of delays. Clocks need not agree, only run at nearly the same rate. The sessions of a
 * coordination service are not used, since a leader that has not learned of a follower's
 * acknowledgements may expire a session.
 */
@NullMarked
package petrichor.coordination;

import org.jspecify.annotations.NullMarked;
