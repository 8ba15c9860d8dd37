package petrichor.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JobsReportTest {
    private final JobsReport report = new JobsReport();

    private void took(String contender, double cpuSeconds) {
        report.add(
                new JobSample(
                        MeasuredJob.SORT, contender, 1, new MeasuredProcess(1, cpuSeconds, 1)));
    }

    @Test
    void theTargetsAreAThirdOfSparkAndFlinkAndOneAndAHalfTimesTheBest() {
        took("petrichor", 12);
        took("gnu-sort", 8);
        took("polars", 10);
        took("spark", 36);
        took("flink", 80);
        assertThat(report.allMet()).isTrue();
    }

    @Test
    void moreThanAThirdOfSparkMissesTheTarget() {
        took("petrichor", 12);
        took("spark", 35);
        assertThat(report.allMet()).isFalse();
    }

    @Test
    void moreThanOneAndAHalfTimesTheBestMissesTheTarget() {
        took("petrichor", 12);
        took("gnu-sort", 30);
        took("polars", 7.9);
        assertThat(report.allMet()).isFalse();
    }

    @Test
    void otherContendersHaveNoTarget() {
        took("petrichor", 12);
        took("gnu-sort", 8);
        took("duckdb", 8.5);
        assertThat(report.lines())
                .filteredOn(line -> !Double.isInfinite(report.promised(line)))
                .extracting(JobsReport.Line::contender)
                .containsExactly("gnu-sort");
    }

    @Test
    void aJobOnFlinkMissesTheTargetAboveThirteenTenths() {
        took("petrichor", 12);
        took("flink", 40);
        took("on-flink", 52);
        assertThat(report.allMet()).isTrue();
        took("on-flink", 54);
        took("on-flink", 54);
        assertThat(report.allMet()).isFalse();
    }

    @Test
    void onFlinkTheCheaperOfFlinksOwnProgramsCounts() {
        took("petrichor", 6);
        took("flink", 40);
        took("flink-streams", 20);
        took("on-flink", 26);
        assertThat(report.onFlink(MeasuredJob.SORT)).isEqualTo(1.3);
        took("flink-streams", 18);
        took("flink-streams", 18);
        assertThat(report.allMet()).isFalse();
    }

    @Test
    void ourOwnJobOnFlinkIsNotAContender() {
        took("petrichor", 12);
        took("on-flink", 6);
        took("gnu-sort", 8);
        assertThat(report.allMet()).isTrue();
    }

    @Test
    void theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
        for (double seconds : new double[] {1, 2, 4, 40}) {
            took("petrichor", seconds);
        }
        assertThat(report.lines().getFirst().cpu()).isEqualTo(3);
    }

    @Test
    void wallTimeIsComparedBesideProcessorTime() {
        report.add(new JobSample(MeasuredJob.SORT, "petrichor", 1, new MeasuredProcess(6, 1, 1)));
        report.add(new JobSample(MeasuredJob.SORT, "polars", 1, new MeasuredProcess(4, 2, 1)));
        JobsReport.Line polars = report.lines().getLast();
        assertThat(report.wallRatio(polars)).isEqualTo(1.5);
        assertThat(report.ratio(polars)).isEqualTo(0.5);
    }

    @Test
    void anEmptyJobIsMeasuredWithoutATarget() {
        report.add(new JobSample(MeasuredJob.EMPTY, "petrichor", 1, new MeasuredProcess(1, 9, 1)));
        report.add(new JobSample(MeasuredJob.EMPTY, "spark", 1, new MeasuredProcess(1, 1, 1)));
        report.add(new JobSample(MeasuredJob.EMPTY, "duckdb", 1, new MeasuredProcess(1, 1, 1)));
        assertThat(report.allMet()).isTrue();
    }
}
