package petrichor.examples.jobs;

import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.JobProgram;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.parquet.ParquetSink;

/**
 * Converts the tables of TPC-H to folders of Parquet files that any engine can read. All four
 * tables are converted in one job, concurrently, and published when all of them are complete.
 */
public final class TablesToParquet implements JobProgram {
    @Override
    public Plan plan(Arguments arguments) {
        return plan(new Tpch(arguments.text("input")), arguments.text("output"));
    }

    static Plan plan(Tpch tables, String folder) {
        var plan = Plan.named("tables to Parquet").parallelism(2);
        plan.read(tables.customers()).write(new ParquetSink(Tpch.parquet(folder, "customer")));
        plan.read(tables.orders()).write(new ParquetSink(Tpch.parquet(folder, "orders")));
        plan.read(tables.items()).write(new ParquetSink(Tpch.parquet(folder, "lineitem")));
        plan.read(tables.nations()).write(new ParquetSink(Tpch.parquet(folder, "nation")));
        return plan;
    }
}
