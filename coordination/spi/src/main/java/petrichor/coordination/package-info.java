/**
 * What the servers of one cluster agree on: who is in it ({@link
 * petrichor.coordination.Membership}), who holds which name under which epoch ({@link
 * petrichor.coordination.Claim}), and small values. All of it rests on a {@link
 * petrichor.coordination.Ledger}, a handful of small entries that are changed several at once;
 * ZooKeeper is one.
 *
 * <p>A server has one lease, whatever it holds, and renews it by <em>writing</em> to the ledger.
 * Others may take what it held once they have seen no renewal for the whole lease on their own
 * clock, counted from when they read the last one; the server itself stops when the lease is over
 * on its own clock, counted from before it sent that renewal. So it knows first, whatever was
 * delayed, and without clocks that agree: they only have to run at nearly the same rate. The
 * sessions of a coordination service are not used, since a session may be expired by a leader that
 * has not heard what a follower has acknowledged.
 */
@NullMarked
package petrichor.coordination;

import org.jspecify.annotations.NullMarked;
