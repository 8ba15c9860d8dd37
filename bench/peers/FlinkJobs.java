import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.table.functions.TableFunction;

/** The measured jobs in Flink's SQL, all of Flink in this process: FlinkJobs JOB INPUT OUTPUT SCRATCH, two threads. */
public final class FlinkJobs {
    private static final int KEY_LENGTH = 10;
    private static final int RECORD_BYTES = 100;
    private static final int SMALLEST_PARTS = 5;

    private FlinkJobs() {}

    public static void main(String[] arguments) throws Exception {
        Path input = Path.of(arguments[1]);
        Path output = Path.of(arguments[2]);
        TableEnvironment sql = environment(arguments[3]);
        String insert =
                switch (arguments[0]) {
                    case "sort", "empty" -> sort(sql, input, output);
                    case "words" -> words(sql, input, output);
                    case "smallest" -> smallest(sql, input, output);
                    case "q3" -> q3(sql, input, output);
                    default -> throw new IllegalArgumentException("no job " + arguments[0]);
                };
        sql.executeSql(insert).await();
    }

    private static TableEnvironment environment(String scratch) {
        Configuration all = new Configuration();
        all.setString("parallelism.default", "2");
        all.setString("pipeline.object-reuse", "true");
        all.setString("taskmanager.memory.managed.size", "1536m");
        all.setString("taskmanager.memory.network.min", "256m");
        all.setString("taskmanager.memory.network.max", "256m");
        all.setString("io.tmp.dirs", scratch);
        all.setString("rest.port", "0");
        all.setString("rest.bind-address", "127.0.0.1");
        return TableEnvironment.create(
                EnvironmentSettings.newInstance().inBatchMode().withConfiguration(all).build());
    }

    private static String sort(TableEnvironment sql, Path input, Path output) {
        file(sql, "lines", "l STRING", input, "'format' = 'raw'");
        file(sql, "sorted", "l STRING", output, "'format' = 'raw'");
        return "INSERT INTO sorted SELECT l FROM lines ORDER BY l";
    }

    private static String words(TableEnvironment sql, Path input, Path output) {
        sql.createTemporarySystemFunction("split", Split.class);
        file(sql, "lines", "l STRING", input, "'format' = 'raw'");
        file(sql, "counted", "w STRING, n BIGINT", output, csv("\t"));
        return "INSERT INTO counted SELECT w, COUNT(*)"
                + " FROM lines, LATERAL TABLE(split(l)) AS s(w) GROUP BY w";
    }

    private static String smallest(TableEnvironment sql, Path input, Path output) throws Exception {
        sql.createTemporarySystemFunction("number", KeyNumber.class);
        file(sql, "lines", "l STRING", input, "'format' = 'raw'");
        file(sql, "averaged", "average DOUBLE", output, csv("|"));
        long count = Files.size(input) / RECORD_BYTES / SMALLEST_PARTS;
        return "INSERT INTO averaged SELECT AVG(n)"
                + " FROM (SELECT number(l) AS n FROM lines ORDER BY n LIMIT "
                + count
                + ")";
    }

    private static String q3(TableEnvironment sql, Path input, Path output) {
        file(
                sql,
                "lineitem",
                "l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber BIGINT,"
                        + " l_quantity DOUBLE, l_extendedprice DOUBLE, l_discount DOUBLE, l_tax DOUBLE,"
                        + " l_returnflag STRING, l_linestatus STRING, l_shipdate STRING,"
                        + " l_commitdate STRING, l_receiptdate STRING, l_shipinstruct STRING,"
                        + " l_shipmode STRING, l_comment STRING, nothing STRING",
                input.resolve("lineitem.tbl"),
                csv("|"));
        file(
                sql,
                "orders",
                "o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus STRING, o_totalprice DOUBLE,"
                        + " o_orderdate STRING, o_orderpriority STRING, o_clerk STRING,"
                        + " o_shippriority INT, o_comment STRING, nothing STRING",
                input.resolve("orders.tbl"),
                csv("|"));
        file(
                sql,
                "customer",
                "c_custkey BIGINT, c_name STRING, c_address STRING, c_nationkey BIGINT,"
                        + " c_phone STRING, c_acctbal DOUBLE, c_mktsegment STRING, c_comment STRING,"
                        + " nothing STRING",
                input.resolve("customer.tbl"),
                csv("|"));
        file(
                sql,
                "highest",
                "orderkey BIGINT, orderdate STRING, shippriority INT, revenue DOUBLE",
                output,
                csv("|"));
        return "INSERT INTO highest SELECT l_orderkey, o_orderdate, o_shippriority,"
                + " SUM(l_extendedprice * (1 - l_discount)) AS revenue"
                + " FROM customer, orders, lineitem"
                + " WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey"
                + " AND l_orderkey = o_orderkey AND o_orderdate < '1995-03-15'"
                + " AND l_shipdate > '1995-03-15'"
                + " GROUP BY l_orderkey, o_orderdate, o_shippriority"
                + " ORDER BY revenue DESC, o_orderdate LIMIT 10";
    }

    private static String csv(String delimiter) {
        return "'format' = 'csv', 'csv.field-delimiter' = '"
                + delimiter
                + "', 'csv.disable-quote-character' = 'true'";
    }

    private static void file(TableEnvironment sql, String table, String columns, Path path, String format) {
        sql.executeSql(
                "CREATE TEMPORARY TABLE "
                        + table
                        + " ("
                        + columns
                        + ") WITH ('connector' = 'filesystem', 'path' = '"
                        + path.toUri()
                        + "', "
                        + format
                        + ")");
    }

    /** Splits a line at its blanks. */
    public static final class Split extends TableFunction<String> {
        public void eval(String line) {
            for (int at = 0; at < line.length(); ) {
                int to = line.indexOf(' ', at);
                to = to < 0 ? line.length() : to;
                if (to > at) {
                    collect(line.substring(at, to));
                }
                at = to + 1;
            }
        }
    }

    /** The key of a line, read as a number of base 95. */
    public static final class KeyNumber extends ScalarFunction {
        public double eval(String line) {
            double number = 0;
            for (byte each : line.substring(0, KEY_LENGTH).getBytes(StandardCharsets.ISO_8859_1)) {
                number = number * 95 + (each - ' ');
            }
            return number;
        }
    }
}
