package petrichor.sql.h2;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.LockingClause;
import petrichor.sql.OnConflict;

/**
 * A statement for H2.
 *
 * @param lazy whether the rows of a query are computed as they are read
 * @param change the change that a query is wrapped around, from which H2 infers the types of
 *     parameters; null if there is none
 * @param conflict what an INSERT does about rows that exist; null to fail
 * @param locks clauses of its SELECTs that lock rows
 */
public record ExecutableText(
        String text,
        boolean lazy,
        @Nullable String change,
        @Nullable OnConflict conflict,
        List<LockingClause> locks) {
    public ExecutableText {
        locks = List.copyOf(locks);
    }
}
