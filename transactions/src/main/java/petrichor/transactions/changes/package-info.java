/**
 * The change feed of a database. Each durable step writes, in addition to its commits, a
 * {@linkplain petrichor.transactions.changes.ChangeRecord change record}: which rows each of them
 * changed. The feed reads these records in order and adds the rows, which are in place or in
 * history.
 *
 * <p>The records form a chain: each names the version of the step before it. A missing record, for
 * instance of a step that an older version of this software wrote, is therefore an error for the
 * reader, and never a gap.
 */
@NullMarked
package petrichor.transactions.changes;

import org.jspecify.annotations.NullMarked;
