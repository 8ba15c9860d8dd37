/**
 * API of the transaction layer: an ordered, transactional, multi-version (MVCC) row store over any
 * key-value store. Readers read at a {@link petrichor.transactions.Snapshot}; writers submit their
 * reads and writes to the sequencer of the database, which validates and orders them and makes them
 * durable by group commit.
 *
 * <p>The packages below, each using only those listed before it: {@code scheduling}, {@code rows},
 * {@code locks}, {@code log}, {@code commit}, {@code migration}, {@code ring}, {@code databases}.
 */
@NullMarked
package petrichor.transactions;

import org.jspecify.annotations.NullMarked;
