package petrichor.bench.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import petrichor.cloud.Billing;

/** The required effect of leasing by stage in the experiment of the thesis. */
final class SortAggregateTest {
    private static SortAggregateRun run(SortAggregate form, Billing billing) {
        return SortAggregateRun.of(form, billing, 1, 1);
    }

    @Test
    void theDagCostsAtMostSixTenthsOfTheFixedCluster() {
        for (Billing billing : Billing.values()) {
            double fixed = run(SortAggregate.MAPREDUCE_FIXED, billing).bill().total().dollars();
            double dag = run(SortAggregate.DAG, billing).bill().total().dollars();
            assertThat(dag / fixed).as(billing.toString()).isLessThan(0.6);
        }
    }

    @Test
    void noUnusedHourIsPaid() {
        for (SortAggregate form : SortAggregate.values()) {
            assertThat(run(form, Billing.WHOLE_HOURS).bill().unused()).as(form.title()).isEmpty();
        }
    }

    @Test
    void machinesAreReleasedAsInTheThesis() {
        SortAggregateRun stages = run(SortAggregate.MAPREDUCE_STAGES, Billing.WHOLE_HOURS);
        assertThat(stages.moments().stream().map(SortAggregateRun.Moment::large))
                // Two work in the second stage; a third is paid for, and kept for the last one.
                .containsSubsequence(0, 6, 3, 1);
        SortAggregateRun dag = run(SortAggregate.DAG, Billing.WHOLE_HOURS);
        SortAggregateRun.Moment last = dag.moments().getLast();
        assertThat(last.large()).isZero();
        assertThat(last.small()).isEqualTo(1);
    }

    @Test
    void theCostReportMatchesTheBill() {
        SortAggregateRun dag = run(SortAggregate.DAG, Billing.WHOLE_HOURS);
        assertThat(dag.costs().paid()).isEqualTo(dag.bill().total());
    }
}
