package petrichor.bench.sql.tpcc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.bench.sql.CopyRows;

/** Creates and fills the tables (clause 4.3.3), with the same data for the same seed. */
final class TpccLoader {
    private static final int ROWS_PER_COPY = 10_000;
    private static final long SEED = 20_261_128;
    private static final String NOW = "2026-01-01 00:00:00";

    /** What each customer has paid, in whole units. */
    private static final int PAID = 10;

    private final Connection connection;
    private final TpccScale scale;
    private final Consumer<String> progress;
    private final CopyRows rows;
    private final TpccRandom random = new TpccRandom(SEED);

    /**
     * @param connection commits automatically
     */
    TpccLoader(Connection connection, TpccScale scale, Consumer<String> progress)
            throws SQLException {
        this.connection = connection;
        this.scale = scale;
        this.progress = progress;
        this.rows = new CopyRows(connection, ROWS_PER_COPY);
    }

    /** Replaces tables of an earlier run. */
    void load() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String table : TpccSchema.TABLES) {
                statement.execute("drop table if exists " + table);
            }
            for (String definition : TpccSchema.DEFINITIONS) {
                statement.execute(definition);
            }
        }
        items();
        for (int warehouse = 1; warehouse <= scale.warehouses(); warehouse++) {
            progress.accept("loading warehouse " + warehouse + " of " + scale.warehouses());
            warehouse(warehouse);
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("analyze");
        }
    }

    private void items() throws SQLException {
        rows.begin("item (i_id, i_im_id, i_name, i_price, i_data)");
        for (int item = 1; item <= scale.items(); item++) {
            rows.add(
                    item,
                    random.between(1, 10_000),
                    random.letters(14, 24),
                    random.cents(100, 10_000),
                    random.data());
        }
        rows.end();
    }

    private void warehouse(int warehouse) throws SQLException {
        rows.begin("warehouse");
        rows.add(
                warehouse,
                random.letters(6, 10),
                random.letters(10, 20),
                random.letters(10, 20),
                random.letters(10, 20),
                random.letters(2, 2),
                zip(),
                tax(),
                PAID * scale.customers() * TpccScale.DISTRICTS + ".00");
        rows.begin("stock");
        for (int item = 1; item <= scale.items(); item++) {
            @Nullable Object[] row = new @Nullable Object[17];
            row[0] = warehouse;
            row[1] = item;
            row[2] = random.between(10, 100);
            for (int district = 0; district < TpccScale.DISTRICTS; district++) {
                row[3 + district] = random.letters(24, 24);
            }
            row[13] = 0;
            row[14] = 0;
            row[15] = 0;
            row[16] = random.data();
            rows.add(row);
        }
        for (int district = 1; district <= TpccScale.DISTRICTS; district++) {
            district(warehouse, district);
        }
    }

    private void district(int warehouse, int district) throws SQLException {
        rows.begin("district");
        rows.add(
                warehouse,
                district,
                random.letters(6, 10),
                random.letters(10, 20),
                random.letters(10, 20),
                random.letters(10, 20),
                random.letters(2, 2),
                zip(),
                tax(),
                PAID * scale.customers() + ".00",
                scale.customers() + 1);
        customers(warehouse, district);
        orders(warehouse, district);
    }

    private void customers(int warehouse, int district) throws SQLException {
        rows.begin("customer");
        for (int customer = 1; customer <= scale.customers(); customer++) {
            rows.add(
                    warehouse,
                    district,
                    customer,
                    random.letters(8, 16),
                    "OE",
                    random.loadedName(customer),
                    random.letters(10, 20),
                    random.letters(10, 20),
                    random.letters(10, 20),
                    random.letters(2, 2),
                    zip(),
                    random.digits(16),
                    NOW,
                    random.percent(10) ? "BC" : "GC",
                    "50000.00",
                    "0." + random.between(1_000, 5_000),
                    "-" + PAID + ".00",
                    PAID + ".00",
                    1,
                    0,
                    random.letters(300, 500));
        }
        rows.begin("history");
        for (int customer = 1; customer <= scale.customers(); customer++) {
            rows.add(
                    customer,
                    district,
                    warehouse,
                    district,
                    warehouse,
                    NOW,
                    PAID + ".00",
                    random.letters(12, 24));
        }
        rows.end();
    }

    private void orders(int warehouse, int district) throws SQLException {
        int[] customers = random.permutation(scale.customers());
        int[] lines = new int[customers.length];
        int delivered = customers.length - scale.undelivered();
        rows.begin("orders");
        for (int i = 0; i < customers.length; i++) {
            lines[i] = random.between(5, 15);
            rows.add(
                    warehouse,
                    district,
                    i + 1,
                    customers[i],
                    NOW,
                    i < delivered ? random.between(1, 10) : null,
                    lines[i],
                    1);
        }
        rows.begin("order_line");
        for (int i = 0; i < customers.length; i++) {
            for (int line = 1; line <= lines[i]; line++) {
                rows.add(
                        warehouse,
                        district,
                        i + 1,
                        line,
                        random.between(1, scale.items()),
                        warehouse,
                        i < delivered ? NOW : null,
                        5,
                        i < delivered ? "0.00" : random.cents(1, 999_999),
                        random.letters(24, 24));
            }
        }
        rows.begin("new_order");
        for (int i = delivered; i < customers.length; i++) {
            rows.add(warehouse, district, i + 1);
        }
        rows.end();
    }

    private String zip() {
        return random.digits(4) + "11111";
    }

    private String tax() {
        return "0." + random.between(1_000, 2_000);
    }
}
