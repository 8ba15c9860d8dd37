/**
 * The ring of a database: ranges of its rows in several stores. {@link
 * petrichor.transactions.ring.RingMap} says which range is where; {@link
 * petrichor.transactions.ring.RingApplication} applies the log accordingly, {@link
 * petrichor.transactions.ring.RingReads} reads accordingly, and {@link
 * petrichor.transactions.ring.Ring} moves ranges while they are used.
 */
@NullMarked
package petrichor.transactions.ring;

import org.jspecify.annotations.NullMarked;
