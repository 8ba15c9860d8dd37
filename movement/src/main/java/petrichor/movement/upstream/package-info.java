/**
 * Petrichor in front of another Datastore endpoint, the upstream, and the move of its databases
 * here while clients read and write them.
 *
 * <p>{@link petrichor.movement.upstream.Upstreams} has an {@code UpstreamDatabase} for each
 * database. While the upstream leads, calls are forwarded, and the keys that a commit writes are
 * stored by {@code CapturedWrites} before the commit is sent: these keys are then read again and
 * stored here. The {@code MoveSteps} copy, follow, compare, and after the switch send the commits
 * of this server to the upstream. Which side leads is decided by a commit of the local database,
 * together with its {@link petrichor.transactions.WriteGate}.
 */
@NullMarked
package petrichor.movement.upstream;

import org.jspecify.annotations.NullMarked;
