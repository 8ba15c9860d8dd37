/**
 * One ordered, transactional, multi-version row store over any key-value store, with one commit log
 * per database. Readers read at a {@link petrichor.transactions.Snapshot}; writers hand their reads
 * and writes to the database's sequencer, which validates, orders and makes them durable in
 * batches.
 */
@NullMarked
package petrichor.transactions;

import org.jspecify.annotations.NullMarked;
