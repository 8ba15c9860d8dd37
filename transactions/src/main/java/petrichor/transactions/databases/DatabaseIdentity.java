package petrichor.transactions.databases;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.rows.ParentRows;
import petrichor.transactions.rows.TableLayout;

/**
 * A database as its catalog entry describes it.
 *
 * @param salt distinguishes its transaction ids from those of others
 * @param parent what it shares; null if it is not a branch
 * @param branchesFrom the oldest version that its branches share, as stored; {@code Long.MAX_VALUE}
 *     if there are none
 */
record DatabaseIdentity(
        String name,
        TableLayout layout,
        long salt,
        @Nullable ParentRows parent,
        LongSupplier branchesFrom) {}
