package petrichor.bench.cloud;

import java.time.Duration;
import java.util.List;
import petrichor.cloud.leasing.Need;
import petrichor.cloud.leasing.Need.Wish;

/**
 * The job of chapter 3 of the Nephele thesis: of 10^9 numbers (100 GB) the 2·10^8 smallest, and
 * their mean; in its three forms.
 *
 * <p>The work of a stage is derived from the numbers in the thesis: how many machines, their
 * utilisation, and for how long (sorting with MapReduce: 42 minutes at about 75 % of 48 cores; the
 * aggregations: a third and a tenth of these cores; the DAG: 33 minutes in all, its merge limited
 * by the network). Where the thesis gives no time, one was assumed: 12 and 6 minutes for the
 * aggregations, 18 for reading and sorting in the DAG.
 */
enum SortAggregate {
    MAPREDUCE_FIXED("MapReduce, fixed cluster"),
    MAPREDUCE_STAGES("MapReduce, leased by stage"),
    DAG("DAG, two types");

    private static final class Size {
        static final Wish LARGE = new Wish.Named("c1.xlarge");
        static final Wish SMALL = new Wish.Named("m1.small");
    }

    /**
     * A stage at the thesis' size.
     *
     * @param minutes in all
     * @param phaseMinutes until its second phase starts
     * @param coresFirst busy cores in the first phase
     * @param coresThen busy cores in the second phase
     */
    record Part(
            double minutes,
            double phaseMinutes,
            double coresFirst,
            double coresThen,
            List<Need> needs) {
        static Part of(double minutes, double cores, Need need) {
            return new Part(minutes, minutes, cores, cores, List.of(need));
        }

        Duration work(double scale) {
            return seconds(minutes * scale);
        }

        Duration phase(double scale) {
            return seconds(phaseMinutes * scale);
        }

        private static Duration seconds(double minutes) {
            return Duration.ofSeconds(Math.round(minutes * 60));
        }
    }

    private final String title;

    SortAggregate(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    List<Part> parts() {
        return switch (this) {
            case MAPREDUCE_FIXED ->
                    List.of(
                            Part.of(42, 36, Need.of("sort", Size.LARGE, 6)),
                            Part.of(12, 12.8, Need.of("aggregate", Size.LARGE, 6)),
                            Part.of(6, 4.8, Need.of("mean", Size.LARGE, 6)));
            case MAPREDUCE_STAGES ->
                    List.of(
                            Part.of(42, 36, Need.of("sort", Size.LARGE, 6)),
                            Part.of(12, 12.8, Need.of("aggregate", Size.LARGE, 2)),
                            Part.of(6, 4.8, Need.of("mean", Size.LARGE, 1)));
            // The merge follows a blocking operator, the sort; then 20 GB pass one link.
            case DAG ->
                    List.of(
                            new Part(
                                    18 + 8.5,
                                    18,
                                    36,
                                    4,
                                    List.of(
                                            Need.of("sort", Size.LARGE, 6),
                                            new Need("merge", Size.SMALL, 1, true, false))),
                            Part.of(5, 0.9, Need.of("mean", Size.SMALL, 1)));
        };
    }
}
