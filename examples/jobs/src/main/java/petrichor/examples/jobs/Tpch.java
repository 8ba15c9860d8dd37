package petrichor.examples.jobs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import petrichor.jobs.formats.CsvColumn;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.parquet.ParquetSource;
import petrichor.jobs.records.Field;

/**
 * The tables of TPC-H written by {@code tpchgen-cli}, as text ({@code tbl}) or {@code parquet},
 * with the columns that the queries read. Dates are texts, which sort like dates.
 */
record Tpch(String folder) {
    Source customers() {
        return table(
                "customer",
                new CsvColumn(0, Field.int64("c_custkey")),
                new CsvColumn(1, Field.text("c_name")),
                new CsvColumn(2, Field.text("c_address")),
                new CsvColumn(3, Field.int64("c_nationkey")),
                new CsvColumn(4, Field.text("c_phone")),
                new CsvColumn(5, Field.float64("c_acctbal")),
                new CsvColumn(6, Field.text("c_mktsegment")),
                new CsvColumn(7, Field.text("c_comment")));
    }

    Source orders() {
        return table(
                "orders",
                new CsvColumn(0, Field.int64("o_orderkey")),
                new CsvColumn(1, Field.int64("o_custkey")),
                new CsvColumn(4, Field.text("o_orderdate")),
                new CsvColumn(7, Field.int32("o_shippriority")));
    }

    Source items() {
        return table(
                "lineitem",
                new CsvColumn(0, Field.int64("l_orderkey")),
                new CsvColumn(5, Field.float64("l_extendedprice")),
                new CsvColumn(6, Field.float64("l_discount")),
                new CsvColumn(8, Field.text("l_returnflag")),
                new CsvColumn(10, Field.text("l_shipdate")));
    }

    Source nations() {
        return table(
                "nation",
                new CsvColumn(0, Field.int64("n_nationkey")),
                new CsvColumn(1, Field.text("n_name")));
    }

    static String parquet(String folder, String table) {
        return folder + "/" + table + ".parquet";
    }

    private Source table(String name, CsvColumn... columns) {
        var parquet = parquet(folder, name);
        if (Files.exists(Path.of(parquet))) {
            var fields = Arrays.stream(columns).map(CsvColumn::field).toArray(Field[]::new);
            return ParquetSource.of(parquet, fields);
        }
        return CsvSource.byPosition(
                folder + "/" + name + ".tbl", CsvSource.Dialect.BAR, List.of(columns));
    }
}
