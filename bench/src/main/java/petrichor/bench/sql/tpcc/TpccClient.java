package petrichor.bench.sql.tpcc;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** The five transactions (clause 2), over one connection. Confined to one thread. */
final class TpccClient implements AutoCloseable {
    private static final int NEW_ORDERS = 45;
    private static final int PAYMENTS = 43;
    private static final int OTHERS = 4;

    private final TpccSession session;
    private final TpccScale scale;
    private final int home;
    private final TpccRandom random;

    /**
     * @param home warehouse of this client
     */
    TpccClient(Connection connection, TpccScale scale, int home, long seed, LongAdder retries)
            throws SQLException {
        this.session = new TpccSession(connection, retries);
        this.scale = scale;
        this.home = home;
        this.random = new TpccRandom(seed);
    }

    /** One transaction of the mix, repeated until it does not conflict. */
    void transaction() throws SQLException {
        int chance = random.between(1, 100);
        if (chance <= NEW_ORDERS) {
            newOrder();
        } else if (chance <= NEW_ORDERS + PAYMENTS) {
            payment();
        } else if (chance <= NEW_ORDERS + PAYMENTS + OTHERS) {
            orderStatus();
        } else if (chance <= NEW_ORDERS + PAYMENTS + 2 * OTHERS) {
            delivery();
        } else {
            stockLevel();
        }
    }

    private int district() {
        return random.between(1, TpccScale.DISTRICTS);
    }

    private int otherWarehouse() {
        if (scale.warehouses() == 1) {
            return home;
        }
        int other = random.between(1, scale.warehouses() - 1);
        return other < home ? other : other + 1;
    }

    private static Timestamp now() {
        return Timestamp.from(Instant.now());
    }

    // ---- New-Order

    private record Line(int item, int supplier, int quantity) {}

    private void newOrder() throws SQLException {
        int district = district();
        int customer = random.customer(scale.customers());
        boolean fails = random.percent(1);
        List<Line> lines = new ArrayList<>();
        int count = random.between(5, 15);
        for (int i = 1; i <= count; i++) {
            boolean unused = fails && i == count;
            lines.add(
                    new Line(
                            unused ? scale.items() + 1 : random.item(scale.items()),
                            random.percent(1) ? otherWarehouse() : home,
                            random.between(1, 10)));
        }
        session.repeat(() -> newOrder(district, customer, lines));
    }

    private void newOrder(int district, int customer, List<Line> lines) throws SQLException {
        session.row("select w_tax from warehouse where w_id = ?", home).close();
        session.row(
                        "select c_discount, c_last, c_credit from customer"
                                + " where c_w_id = ? and c_d_id = ? and c_id = ?",
                        home,
                        district,
                        customer)
                .close();
        int order;
        try (ResultSet next =
                session.row(
                        "update district set d_next_o_id = d_next_o_id + 1"
                                + " where d_w_id = ? and d_id = ? returning d_next_o_id, d_tax",
                        home,
                        district)) {
            order = next.getInt(1) - 1;
        }
        boolean local = lines.stream().allMatch(line -> line.supplier() == home);
        session.update(
                1,
                "insert into orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt,"
                        + " o_all_local) values (?, ?, ?, ?, ?, ?, ?)",
                home,
                district,
                order,
                customer,
                now(),
                lines.size(),
                local ? 1 : 0);
        session.update(
                1,
                "insert into new_order (no_w_id, no_d_id, no_o_id) values (?, ?, ?)",
                home,
                district,
                order);
        for (int i = 0; i < lines.size(); i++) {
            if (!addLine(district, order, i + 1, lines.get(i))) {
                session.rollback();
                return;
            }
        }
        session.commit();
    }

    /** False if there is no such item. */
    private boolean addLine(int district, int order, int number, Line line) throws SQLException {
        BigDecimal price;
        try (ResultSet item =
                session.statement(
                                "select i_price, i_name, i_data from item where i_id = ?",
                                line.item())
                        .executeQuery()) {
            if (!item.next()) {
                return false;
            }
            price = item.getBigDecimal(1);
        }
        String info = "s_dist_" + (district < 10 ? "0" : "") + district;
        int left;
        String distribution;
        try (ResultSet stock =
                session.row(
                        "select s_quantity, s_data, "
                                + info
                                + " from stock where s_w_id = ? and s_i_id = ?",
                        line.supplier(),
                        line.item())) {
            int quantity = stock.getInt(1);
            left = quantity - line.quantity();
            left = left >= 10 ? left : left + 91;
            distribution = stock.getString(3);
        }
        session.update(
                1,
                "update stock set s_quantity = ?, s_ytd = s_ytd + ?,"
                        + " s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ?"
                        + " where s_w_id = ? and s_i_id = ?",
                left,
                line.quantity(),
                line.supplier() == home ? 0 : 1,
                line.supplier(),
                line.item());
        session.update(
                1,
                "insert into order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id,"
                        + " ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)"
                        + " values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                home,
                district,
                order,
                number,
                line.item(),
                line.supplier(),
                line.quantity(),
                price.multiply(BigDecimal.valueOf(line.quantity())),
                distribution);
        return true;
    }

    // ---- Payment

    /** A customer, by number or by last name. */
    private record Customer(int warehouse, int district, int number, String lastName) {}

    private Customer customer(int warehouse, int district) {
        return random.percent(60)
                ? new Customer(warehouse, district, 0, random.lastName(scale.customers()))
                : new Customer(warehouse, district, random.customer(scale.customers()), "");
    }

    /** Of those with a last name, the one in the middle, ordered by first name. */
    private int number(Customer customer) throws SQLException {
        if (customer.number() != 0) {
            return customer.number();
        }
        List<Integer> found = new ArrayList<>();
        try (ResultSet rows =
                session.statement(
                                "select c_id from customer where c_w_id = ? and c_d_id = ?"
                                        + " and c_last = ? order by c_first",
                                customer.warehouse(),
                                customer.district(),
                                customer.lastName())
                        .executeQuery()) {
            while (rows.next()) {
                found.add(rows.getInt(1));
            }
        }
        if (found.isEmpty()) {
            throw new IllegalStateException("no customer has the name " + customer.lastName());
        }
        return found.get((found.size() - 1) / 2);
    }

    private void payment() throws SQLException {
        int district = district();
        BigDecimal amount = new BigDecimal(random.cents(100, 500_000));
        boolean remote = scale.warehouses() > 1 && random.percent(15);
        Customer customer =
                remote ? customer(otherWarehouse(), district()) : customer(home, district);
        session.repeat(() -> payment(district, customer, amount));
    }

    private void payment(int district, Customer customer, BigDecimal amount) throws SQLException {
        session.row(
                        "update warehouse set w_ytd = w_ytd + ? where w_id = ? returning w_name,"
                                + " w_street_1, w_street_2, w_city, w_state, w_zip",
                        amount,
                        home)
                .close();
        session.row(
                        "update district set d_ytd = d_ytd + ? where d_w_id = ? and d_id = ?"
                                + " returning d_name, d_street_1, d_street_2, d_city, d_state,"
                                + " d_zip",
                        amount,
                        home,
                        district)
                .close();
        int number = number(customer);
        String credit;
        String data;
        try (ResultSet row =
                session.row(
                        "select c_first, c_middle, c_last, c_street_1, c_street_2, c_city,"
                                + " c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim,"
                                + " c_discount, c_balance, c_data from customer"
                                + " where c_w_id = ? and c_d_id = ? and c_id = ?",
                        customer.warehouse(),
                        customer.district(),
                        number)) {
            credit = row.getString(11);
            data = row.getString(15);
        }
        if (credit.equals("BC")) {
            String noted =
                    number
                            + " "
                            + customer.district()
                            + " "
                            + customer.warehouse()
                            + " "
                            + district
                            + " "
                            + home
                            + " "
                            + amount
                            + "|"
                            + data;
            session.update(
                    1,
                    "update customer set c_balance = c_balance - ?,"
                            + " c_ytd_payment = c_ytd_payment + ?,"
                            + " c_payment_cnt = c_payment_cnt + 1, c_data = ?"
                            + " where c_w_id = ? and c_d_id = ? and c_id = ?",
                    amount,
                    amount,
                    noted.substring(0, Math.min(500, noted.length())),
                    customer.warehouse(),
                    customer.district(),
                    number);
        } else {
            session.update(
                    1,
                    "update customer set c_balance = c_balance - ?,"
                            + " c_ytd_payment = c_ytd_payment + ?,"
                            + " c_payment_cnt = c_payment_cnt + 1"
                            + " where c_w_id = ? and c_d_id = ? and c_id = ?",
                    amount,
                    amount,
                    customer.warehouse(),
                    customer.district(),
                    number);
        }
        session.update(
                1,
                "insert into history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date,"
                        + " h_amount, h_data) values (?, ?, ?, ?, ?, ?, ?, ?)",
                number,
                customer.district(),
                customer.warehouse(),
                district,
                home,
                now(),
                amount,
                "warehouse    district");
        session.commit();
    }

    // ---- Order-Status

    private void orderStatus() throws SQLException {
        Customer customer = customer(home, district());
        session.repeat(() -> orderStatus(customer));
    }

    private void orderStatus(Customer customer) throws SQLException {
        int number = number(customer);
        session.row(
                        "select c_balance, c_first, c_middle, c_last from customer"
                                + " where c_w_id = ? and c_d_id = ? and c_id = ?",
                        customer.warehouse(),
                        customer.district(),
                        number)
                .close();
        try (ResultSet order =
                session.statement(
                                "select o_id, o_entry_d, o_carrier_id from orders"
                                        + " where o_w_id = ? and o_d_id = ? and o_c_id = ?"
                                        + " order by o_id desc limit 1",
                                customer.warehouse(),
                                customer.district(),
                                number)
                        .executeQuery()) {
            if (order.next()) {
                readLines(customer, order.getInt(1));
            }
        }
        session.commit();
    }

    private void readLines(Customer customer, int order) throws SQLException {
        try (ResultSet lines =
                session.row(
                        "select ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d"
                                + " from order_line"
                                + " where ol_w_id = ? and ol_d_id = ? and ol_o_id = ?",
                        customer.warehouse(),
                        customer.district(),
                        order)) {
            while (lines.next()) {
                // All of them are read.
            }
        }
    }

    // ---- Delivery

    private void delivery() throws SQLException {
        int carrier = random.between(1, 10);
        session.repeat(
                () -> {
                    for (int district = 1; district <= TpccScale.DISTRICTS; district++) {
                        deliver(district, carrier);
                    }
                    session.commit();
                });
    }

    private void deliver(int district, int carrier) throws SQLException {
        int order;
        try (ResultSet oldest =
                session.statement(
                                "select no_o_id from new_order where no_w_id = ? and no_d_id = ?"
                                        + " order by no_o_id limit 1",
                                home,
                                district)
                        .executeQuery()) {
            if (!oldest.next()) {
                return;
            }
            order = oldest.getInt(1);
        }
        session.update(
                1,
                "delete from new_order where no_w_id = ? and no_d_id = ? and no_o_id = ?",
                home,
                district,
                order);
        int customer;
        int lines;
        try (ResultSet row =
                session.row(
                        "select o_c_id, o_ol_cnt from orders"
                                + " where o_w_id = ? and o_d_id = ? and o_id = ?",
                        home,
                        district,
                        order)) {
            customer = row.getInt(1);
            lines = row.getInt(2);
        }
        session.update(
                1,
                "update orders set o_carrier_id = ?"
                        + " where o_w_id = ? and o_d_id = ? and o_id = ?",
                carrier,
                home,
                district,
                order);
        session.update(
                lines,
                "update order_line set ol_delivery_d = ?"
                        + " where ol_w_id = ? and ol_d_id = ? and ol_o_id = ?",
                now(),
                home,
                district,
                order);
        BigDecimal amount;
        try (ResultSet sum =
                session.row(
                        "select sum(ol_amount) from order_line"
                                + " where ol_w_id = ? and ol_d_id = ? and ol_o_id = ?",
                        home,
                        district,
                        order)) {
            amount = sum.getBigDecimal(1);
        }
        session.update(
                1,
                "update customer set c_balance = c_balance + ?,"
                        + " c_delivery_cnt = c_delivery_cnt + 1"
                        + " where c_w_id = ? and c_d_id = ? and c_id = ?",
                amount,
                home,
                district,
                customer);
    }

    // ---- Stock-Level

    private void stockLevel() throws SQLException {
        int district = district();
        int threshold = random.between(10, 20);
        session.repeat(
                () -> {
                    int next;
                    try (ResultSet row =
                            session.row(
                                    "select d_next_o_id from district"
                                            + " where d_w_id = ? and d_id = ?",
                                    home,
                                    district)) {
                        next = row.getInt(1);
                    }
                    session.row(
                                    "select count(distinct s_i_id) from order_line"
                                            + " join stock on s_i_id = ol_i_id and s_w_id = ?"
                                            + " where ol_w_id = ? and ol_d_id = ? and ol_o_id < ?"
                                            + " and ol_o_id >= ? and s_quantity < ?",
                                    home,
                                    home,
                                    district,
                                    next,
                                    next - 20,
                                    threshold)
                            .close();
                    session.commit();
                });
    }

    @Override
    public void close() throws SQLException {
        session.close();
    }
}
