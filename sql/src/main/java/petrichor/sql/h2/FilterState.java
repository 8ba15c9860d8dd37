package petrichor.sql.h2;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.h2.expression.Expression;
import org.h2.expression.ExpressionVisitor;
import org.h2.index.IndexCondition;
import org.h2.index.IndexCursor;
import org.h2.table.TableFilter;

/** What H2 plans for one table of a query and keeps private; its version is fixed. */
final class FilterState {
    private static final VarHandle CONDITIONS;
    private static final VarHandle CURSOR;
    private static final VarHandle REVERSE;

    static {
        try {
            MethodHandles.Lookup filter =
                    MethodHandles.privateLookupIn(TableFilter.class, MethodHandles.lookup());
            CONDITIONS =
                    filter.findVarHandle(TableFilter.class, "indexConditions", ArrayList.class);
            CURSOR = filter.findVarHandle(TableFilter.class, "cursor", IndexCursor.class);
            REVERSE =
                    MethodHandles.privateLookupIn(IndexCursor.class, MethodHandles.lookup())
                            .findVarHandle(IndexCursor.class, "reverse", boolean.class);
        } catch (ReflectiveOperationException changed) {
            throw new ExceptionInInitializerError(changed);
        }
    }

    private FilterState() {}

    /** The conditions from which key ranges are computed, for each search. */
    @SuppressWarnings({"unchecked", "NonApiType"}) // H2 requires the class
    static ArrayList<IndexCondition> conditions(TableFilter filter) {
        return (ArrayList<IndexCondition>) CONDITIONS.get(filter);
    }

    /** Whether the index is read backwards. */
    static boolean reverse(TableFilter filter) {
        return (boolean) REVERSE.get((IndexCursor) CURSOR.get(filter));
    }

    /**
     * Whether the key ranges can be computed several times: no subqueries, no volatile functions.
     */
    static boolean repeatable(List<IndexCondition> conditions) {
        for (IndexCondition condition : conditions) {
            boolean known =
                    condition.getExpression() == null
                            ? condition.getExpressionList() != null
                                    && condition.getExpressionList().stream()
                                            .allMatch(FilterState::deterministic)
                            : deterministic(condition.getExpression());
            if (!known) {
                return false;
            }
        }
        return !conditions.isEmpty();
    }

    static boolean deterministic(Expression expression) {
        return expression.isEverything(ExpressionVisitor.DETERMINISTIC_VISITOR);
    }
}
