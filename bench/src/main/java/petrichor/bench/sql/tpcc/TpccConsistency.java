package petrichor.bench.sql.tpcc;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Consistency conditions 1 to 10 and 12 (clause 3.3.2). Condition 11 holds only for data that was
 * just loaded. Tables are read in groups of rows, and compared here, because joins of all rows
 * would take longer than the run.
 */
final class TpccConsistency {
    private static final int FETCHED_ROWS = 5_000;

    private final Connection connection;
    private final List<String> violations = new ArrayList<>();

    private record District(int warehouse, int district) {}

    private record Owned(District district, int number) {}

    private record Order(int customer, @Nullable Integer carrier, int lines) {}

    private record Lines(int count, int delivered, BigDecimal deliveredAmount) {}

    @FunctionalInterface
    private interface Reader {
        void accept(ResultSet row) throws SQLException;
    }

    private TpccConsistency(Connection connection) {
        this.connection = connection;
    }

    /** What is violated; empty if the data is consistent. */
    static List<String> violations(Connection connection) throws SQLException {
        boolean before = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try {
            TpccConsistency conditions = new TpccConsistency(connection);
            conditions.check();
            return List.copyOf(conditions.violations);
        } finally {
            connection.rollback();
            connection.setAutoCommit(before);
        }
    }

    private void read(String sql, Reader reader) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(FETCHED_ROWS);
            try (ResultSet rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                    reader.accept(rows);
                }
            }
        }
    }

    private static District district(ResultSet row) throws SQLException {
        return new District(row.getInt(1), row.getInt(2));
    }

    private Map<District, BigDecimal> amounts(String sql) throws SQLException {
        Map<District, BigDecimal> amounts = new HashMap<>();
        read(sql, row -> amounts.put(district(row), row.getBigDecimal(3)));
        return amounts;
    }

    private void require(int condition, Object what, @Nullable Object left, Object right) {
        boolean equal = Objects.equals(left, right);
        if (left instanceof BigDecimal one && right instanceof BigDecimal other) {
            equal = one.compareTo(other) == 0;
        }
        if (!equal) {
            violations.add("condition " + condition + ": " + what + ": " + left + ", " + right);
        }
    }

    private void check() throws SQLException {
        payments();
        Map<Owned, Order> orders = new HashMap<>();
        read(
                "select o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt from orders",
                row -> {
                    int carrier = row.getInt(5);
                    Integer known = row.wasNull() ? null : carrier;
                    orders.put(
                            new Owned(district(row), row.getInt(3)),
                            new Order(row.getInt(4), known, row.getInt(6)));
                });
        Map<Owned, Lines> lines = new HashMap<>();
        read(
                "select ol_w_id, ol_d_id, ol_o_id, count(*), count(ol_delivery_d),"
                        + " sum(case when ol_delivery_d is null then 0.00 else ol_amount end)"
                        + " from order_line group by ol_w_id, ol_d_id, ol_o_id",
                row ->
                        lines.put(
                                new Owned(district(row), row.getInt(3)),
                                new Lines(row.getInt(4), row.getInt(5), row.getBigDecimal(6))));
        Map<Owned, Boolean> undelivered = new HashMap<>();
        read(
                "select no_w_id, no_d_id, no_o_id from new_order",
                row -> undelivered.put(new Owned(district(row), row.getInt(3)), true));
        numbers(orders, undelivered);
        lines(orders, lines, undelivered);
        customers(orders, lines);
    }

    /** Conditions 1, 8 and 9. */
    private void payments() throws SQLException {
        Map<District, BigDecimal> districts = amounts("select d_w_id, d_id, d_ytd from district");
        Map<District, BigDecimal> history =
                amounts(
                        "select h_w_id, h_d_id, sum(h_amount) from history group by h_w_id,"
                                + " h_d_id");
        Map<Integer, BigDecimal> paid = new HashMap<>();
        districts.forEach(
                (district, amount) -> {
                    paid.merge(district.warehouse(), amount, BigDecimal::add);
                    require(9, district, history.get(district), amount);
                });
        Map<Integer, BigDecimal> recorded = new HashMap<>();
        history.forEach((at, sum) -> recorded.merge(at.warehouse(), sum, BigDecimal::add));
        read(
                "select w_id, w_ytd from warehouse",
                row -> {
                    int warehouse = row.getInt(1);
                    BigDecimal amount = row.getBigDecimal(2);
                    require(1, "warehouse " + warehouse, paid.get(warehouse), amount);
                    require(8, "warehouse " + warehouse, recorded.get(warehouse), amount);
                });
    }

    /** Conditions 2 and 3. */
    private void numbers(Map<Owned, Order> orders, Map<Owned, Boolean> undelivered)
            throws SQLException {
        Map<District, Integer> newest = new HashMap<>();
        orders.keySet().forEach(o -> newest.merge(o.district(), o.number(), Math::max));
        Map<District, List<Integer>> waiting = new HashMap<>();
        undelivered
                .keySet()
                .forEach(
                        o ->
                                waiting.computeIfAbsent(o.district(), _ -> new ArrayList<>())
                                        .add(o.number()));
        read(
                "select d_w_id, d_id, d_next_o_id from district",
                row -> {
                    District at = district(row);
                    int last = row.getInt(3) - 1;
                    require(2, at, newest.get(at), last);
                    List<Integer> numbers = waiting.getOrDefault(at, List.of());
                    if (!numbers.isEmpty()) {
                        int high = numbers.stream().max(Integer::compare).orElse(0);
                        int low = numbers.stream().min(Integer::compare).orElse(0);
                        require(2, at, high, last);
                        require(3, at, numbers.size(), high - low + 1);
                    }
                });
    }

    /** Conditions 4 to 7; 6 implies 4. */
    private void lines(
            Map<Owned, Order> orders, Map<Owned, Lines> lines, Map<Owned, Boolean> undelivered) {
        orders.forEach(
                (number, order) -> {
                    boolean open = order.carrier() == null;
                    require(5, number, undelivered.getOrDefault(number, false), open);
                    Lines of = lines.get(number);
                    require(6, number, of == null ? 0 : of.count(), order.lines());
                    require(7, number, of == null ? 0 : of.delivered(), open ? 0 : order.lines());
                });
        require(4, "orders with lines", lines.size(), orders.size());
    }

    /** Conditions 10 and 12. */
    private void customers(Map<Owned, Order> orders, Map<Owned, Lines> lines) throws SQLException {
        Map<Owned, BigDecimal> delivered = new HashMap<>();
        lines.forEach(
                (number, of) -> {
                    Order order = orders.get(number);
                    if (order != null) {
                        delivered.merge(
                                new Owned(number.district(), order.customer()),
                                of.deliveredAmount(),
                                BigDecimal::add);
                    }
                });
        Map<Owned, BigDecimal> paid = new HashMap<>();
        read(
                "select h_c_w_id, h_c_d_id, h_c_id, sum(h_amount) from history"
                        + " group by h_c_w_id, h_c_d_id, h_c_id",
                row -> paid.put(new Owned(district(row), row.getInt(3)), row.getBigDecimal(4)));
        read(
                "select c_w_id, c_d_id, c_id, c_balance, c_ytd_payment from customer",
                row -> {
                    Owned customer = new Owned(district(row), row.getInt(3));
                    BigDecimal received = delivered.getOrDefault(customer, BigDecimal.ZERO);
                    BigDecimal balance = row.getBigDecimal(4);
                    BigDecimal history = paid.getOrDefault(customer, BigDecimal.ZERO);
                    require(10, customer, balance, received.subtract(history));
                    require(12, customer, balance.add(row.getBigDecimal(5)), received);
                });
    }
}
