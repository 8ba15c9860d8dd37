package petrichor.examples.jobs;

import java.io.PrintStream;
import java.util.Arrays;
import petrichor.base.PetrichorException;
import petrichor.jobs.entities.EntityDatabase;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.JobProgram;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.pact.Plan;

/**
 * Runs an example by its name, in this process; with --explain first, prints its execution plan.
 * For {@code petrichor job run} it is a job whose first argument is the name of the example.
 */
public final class Examples implements JobProgram {
    private static final String USAGE =
            """
            run [--explain] word-count TEXT RESULT
            run [--explain] k-means POINTS RESULT CLUSTERS
            run [--explain] page-rank LINKS RESULT
            run [--explain] triangles LINKS RESULT
            run [--explain] tera-sort RECORDS RESULT
            run [--explain] smallest-average RECORDS RESULT K
            run [--explain] tpch-q3 FOLDER RESULT
            run [--explain] tpch-q10 FOLDER RESULT
            run [--explain] tpch-parquet FOLDER RESULTS
            run [--explain] countries

            `run data` makes small inputs for all of them, `run test` runs and checks all.
            README.md says what they do.\
            """;

    @Override
    public Plan plan(Arguments arguments) {
        return plan(arguments.others().toArray(new String[0]));
    }

    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out, System.err));
    }

    private static int run(String[] arguments, PrintStream out, PrintStream err) {
        boolean explain = arguments.length > 0 && arguments[0].equals("--explain");
        int at = explain ? 1 : 0;
        try {
            var plan = plan(Arrays.copyOfRange(arguments, at, arguments.length));
            if (explain) {
                for (var explanation : Jobs.local().explain(plan)) {
                    out.println(explanation.text());
                }
            } else {
                var done = Jobs.local().run(plan);
                out.printf("%s: %.2f s%n", plan.name(), done.elapsed().toMillis() / 1000.0);
            }
            return 0;
        } catch (PetrichorException failed) {
            err.println(failed.getMessage());
            return 1;
        }
    }

    private static Plan plan(String[] arguments) {
        if (arguments.length == 1 && arguments[0].equals("countries")) {
            return Countries.plan(EntityDatabase.ofEnvironment(System.getenv()));
        }
        if (arguments.length < 3) {
            throw PetrichorException.invalid(USAGE);
        }
        var from = arguments[1];
        var to = arguments[2];
        return switch (arguments[0]) {
            case "word-count" -> WordCount.plan(from, to);
            case "k-means" -> KMeans.plan(from, to, (int) number(arguments));
            case "page-rank" -> PageRank.plan(from, to);
            case "triangles" -> Triangles.plan(from, to);
            case "tera-sort" -> TeraSort.plan(from, to);
            case "smallest-average" -> SmallestAverage.plan(from, to, number(arguments));
            case "tpch-q3" -> ShippingPriority.plan(new Tpch(from), to);
            case "tpch-q10" -> ReturnedItems.plan(new Tpch(from), to);
            case "tpch-parquet" -> TablesToParquet.plan(new Tpch(from), to);
            default -> throw PetrichorException.invalid(USAGE);
        };
    }

    /** The last argument as a number, e.g. the number of clusters. */
    private static long number(String[] arguments) {
        if (arguments.length < 4 || !arguments[3].matches("[0-9]{1,9}")) {
            throw PetrichorException.invalid(USAGE);
        }
        return Long.parseLong(arguments[3]);
    }
}
