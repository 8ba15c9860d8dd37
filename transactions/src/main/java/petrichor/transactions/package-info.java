/**
 * One ordered, transactional, multi-version row store over any key-value store: what its callers
 * need. Readers read at a {@link petrichor.transactions.Snapshot}; writers hand their reads and
 * writes to the sequencer of the database, which validates, orders and makes them durable in
 * groups.
 *
 * <p>Below it, each using only those before it: {@code scheduling}, {@code rows}, {@code locks},
 * {@code log}, {@code commit}, {@code databases}.
 */
@NullMarked
package petrichor.transactions;

import org.jspecify.annotations.NullMarked;
