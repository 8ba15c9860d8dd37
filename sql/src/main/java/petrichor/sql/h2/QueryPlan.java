package petrichor.sql.h2;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.h2.command.Prepared;
import org.h2.command.query.Query;
import org.h2.command.query.Select;
import org.h2.command.query.SelectUnion;
import org.h2.expression.Expression;
import org.h2.index.Index;
import org.h2.table.DualTable;
import org.h2.table.Table;
import org.h2.table.TableFilter;
import org.h2.util.HasSQL;
import org.jspecify.annotations.Nullable;
import petrichor.sql.PlanNode;

/**
 * The plan of a query as a tree with PostgreSQL's names: H2 joins by nested loops, and sorts and
 * groups in memory. There are no statistics: numbers of rows are those that the optimizer assumes.
 */
final class QueryPlan {
    /** Rows that a condition on an index is assumed to leave. */
    private static final long INDEX_ROWS = 100;

    private final @Nullable ReadCounts counts;

    private QueryPlan(@Nullable ReadCounts counts) {
        this.counts = counts;
    }

    /**
     * @param counts of an execution; null if it was not executed
     */
    static PlanNode of(Prepared prepared, @Nullable ReadCounts counts) {
        return new QueryPlan(counts).node(prepared);
    }

    private PlanNode node(Prepared prepared) {
        return switch (prepared) {
            case Select select -> select(select);
            case SelectUnion union ->
                    step(
                            "Append",
                            union.getCost(),
                            rows(node(union.getLeft())) + rows(node(union.getRight())),
                            Map.of("Strategy", union.getUnionType().toString()),
                            List.of(node(union.getLeft()), node(union.getRight())));
            case Query query -> step("Result", query.getCost(), 1, Map.of(), List.of());
            default -> step("Result", 0, 1, Map.of(), List.of());
        };
    }

    private PlanNode select(Select select) {
        String text = select.getPlanSQL(HasSQL.ADD_PLAN_INFORMATION);
        double cost = select.getCost();
        TableFilter top = select.getTopTableFilter();
        PlanNode node =
                top == null ? step("Result", cost, 1, Map.of(), List.of()) : join(top, cost);
        Expression condition = select.getCondition();
        if (condition != null && node.properties().get("Filter") == null) {
            Map<String, Object> filtered = new LinkedHashMap<>(node.properties());
            filtered.put("Filter", sql(condition));
            node = new PlanNode(node.title(), filtered, node.inputs());
        }
        if (select.isGroupQuery()) {
            boolean keys = select.getGroupBy() != null && !select.getGroupBy().isEmpty();
            Map<String, Object> more = new LinkedHashMap<>();
            more.put("Strategy", keys ? "Hashed" : "Plain");
            if (keys) {
                more.put("Group Key", select.getGroupBy().stream().map(QueryPlan::sql).toList());
            }
            node = step("Aggregate", cost, keys ? rows(node) : 1, more, List.of(node));
        }
        PlanText.Tail tail = PlanText.tail(text);
        if (tail.order() != null && !text.contains("/* index sorted */")) {
            node =
                    step(
                            "Sort",
                            cost,
                            rows(node),
                            Map.of("Sort Key", List.of(tail.order())),
                            List.of(node));
        }
        if (tail.limited()) {
            node = step("Limit", cost, rows(node), Map.of(), List.of(node));
        }
        return node;
    }

    private PlanNode join(TableFilter first, double cost) {
        PlanNode joined = filter(first, cost);
        for (TableFilter next = first.getJoin(); next != null; next = next.getJoin()) {
            PlanNode inner = filter(next, cost);
            Map<String, Object> more = new LinkedHashMap<>();
            more.put("Join Type", next.isJoinOuter() ? "Left" : "Inner");
            Expression on = next.getJoinCondition();
            if (on != null) {
                more.put("Join Filter", sql(on));
            }
            joined =
                    step(
                            "Nested Loop",
                            cost,
                            rows(joined) * Math.max(1, rows(inner)),
                            more,
                            List.of(joined, inner));
        }
        return joined;
    }

    private PlanNode filter(TableFilter filter, double cost) {
        TableFilter nested = filter.getNestedJoin();
        if (nested != null) {
            return join(nested, cost);
        }
        Table table = filter.getTable();
        if (table instanceof DualTable) {
            return step("Result", cost, 1, Map.of(), List.of());
        }
        Index index = filter.getIndex();
        StringBuilder text = new StringBuilder();
        filter.getPlanSQL(text, false, HasSQL.ADD_PLAN_INFORMATION);
        String indexed = PlanText.indexCondition(text.toString());
        boolean ours = index instanceof RowIndex || index instanceof EntityIndex;
        boolean scan = index == null || index.getIndexType().isScan();
        String type = !ours ? "Subquery Scan" : scan ? "Seq Scan" : "Index Scan";
        Map<String, Object> more = new LinkedHashMap<>();
        if (ours && !scan) {
            more.put("Scan Direction", "Forward");
            more.put("Index Name", index.getName());
        }
        if (ours) {
            more.put("Relation Name", table.getName());
            more.put("Schema", table.getSchema().getName());
        }
        more.put("Alias", filter.getTableAlias());
        if (!indexed.isEmpty()) {
            more.put("Index Cond", "(" + indexed + ")");
        }
        Expression condition = filter.getFilterCondition();
        if (condition != null) {
            more.put("Filter", sql(condition));
        }
        String alias = filter.getTableAlias();
        String title =
                type
                        + (ours && !scan ? " using " + index.getName() : "")
                        + " on "
                        + (ours ? table.getName() : alias)
                        + (ours && !alias.equals(table.getName()) ? " " + alias : "");
        boolean one =
                ours
                        && !scan
                        && index.getIndexType().isUnique()
                        && indexed.contains(" = ")
                        && index.getIndexColumns().length == 1;
        long rows = scan ? RowEstimate.ASSUMED_ROWS : one ? 1 : INDEX_ROWS;
        return step(title, type, ours ? index : null, cost, rows, more, List.of());
    }

    private PlanNode step(
            String type, double cost, long rows, Map<String, Object> more, List<PlanNode> inputs) {
        return step(type, type, null, cost, rows, more, inputs);
    }

    private PlanNode step(
            String title,
            String type,
            @Nullable Index index,
            double cost,
            long rows,
            Map<String, Object> more,
            List<PlanNode> inputs) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("Node Type", type);
        all.putAll(more);
        all.put("Startup Cost", 0);
        all.put("Total Cost", rounded(cost));
        all.put("Plan Rows", rows);
        all.put("Plan Width", 0);
        ReadCounts measured = counts;
        if (measured != null && index != null) {
            ReadCounts.OfIndex read = measured.of(index);
            long loops = Math.max(1, read.loops);
            all.put("Actual Startup Time", 0);
            all.put("Actual Total Time", rounded(read.nanos / 1e6 / loops));
            all.put("Actual Rows", rounded((double) read.rows / loops));
            all.put("Actual Loops", read.loops);
            if (!index.getIndexType().isScan()) {
                all.put("Key Ranges", List.copyOf(read.ranges));
            }
            all.put("Keys Read", read.keys);
            all.put("Round Trips", read.roundTrips);
        }
        return new PlanNode(title, all, inputs);
    }

    static BigDecimal rounded(double value) {
        return BigDecimal.valueOf(value).setScale(3, RoundingMode.HALF_UP);
    }

    private static long rows(PlanNode node) {
        return node.properties().get("Plan Rows") instanceof Long rows ? rows : 1;
    }

    private static String sql(Expression expression) {
        return expression
                .getSQL(HasSQL.TRACE_SQL_FLAGS, Expression.AUTO_PARENTHESES)
                .replaceAll("\\n\\s*", " ");
    }
}
