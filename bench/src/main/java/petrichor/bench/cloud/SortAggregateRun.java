package petrichor.bench.cloud;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import petrichor.cloud.Billing;
import petrichor.cloud.leasing.CostReport;
import petrichor.cloud.leasing.LeaseLine;
import petrichor.cloud.leasing.LeaseLog;
import petrichor.cloud.leasing.Leasing;
import petrichor.cloud.leasing.LeasingLimits;
import petrichor.cloud.leasing.SpotChoice;
import petrichor.cloud.leasing.StageId;
import petrichor.cloud.leasing.Workers;
import petrichor.cloud.simulated.Bill;
import petrichor.cloud.simulated.CloudSetting;
import petrichor.cloud.simulated.FaultProfile;
import petrichor.cloud.simulated.SimulatedCloud;
import petrichor.cloud.simulated.VirtualClock;

/**
 * One run of a form of the job in the simulated cloud.
 *
 * @param elapsed from the first request to the cloud until the last stage has ended
 */
record SortAggregateRun(
        SortAggregate form, Duration elapsed, Bill bill, CostReport costs, List<Moment> moments) {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration STEP = Duration.ofSeconds(5);
    private static final String JOB = "sort-aggregate";

    /**
     * The machines at a moment.
     *
     * @param utilisation of all running cores, 0 to 1
     */
    record Moment(double minute, int large, int small, double utilisation) {}

    private static final class InMemory implements LeaseLog {
        private final List<LeaseLine> lines = new ArrayList<>();

        @Override
        public List<LeaseLine> lines() {
            return List.copyOf(lines);
        }

        @Override
        public void add(LeaseLine line) {
            lines.add(line);
        }

        @Override
        public void close() {}
    }

    static SortAggregateRun of(SortAggregate form, Billing billing, double scale, long seed) {
        VirtualClock clock = new VirtualClock(BEGIN);
        SimulatedCloud cloud =
                new SimulatedCloud(
                        CloudSetting.of(billing, CloudSetting.C1_XLARGE, CloudSetting.M1_SMALL),
                        clock,
                        FaultProfile.NONE,
                        seed);
        try (LeaseLog log = new InMemory()) {
            int[] tokens = {0};
            Leasing leasing =
                    new Leasing(
                            new Leasing.Parts(
                                    cloud,
                                    "bench",
                                    clock,
                                    log,
                                    workers(cloud),
                                    SpotChoice.NEVER,
                                    () -> "bench-%06d".formatted(++tokens[0])),
                            LeasingLimits.DEFAULT);
            List<ModelledStage> stages = new ArrayList<>();
            for (SortAggregate.Part part : form.parts()) {
                stages.add(
                        new ModelledStage(
                                new StageId(JOB, stages.size()), part, scale, clock, cloud));
            }
            List<Moment> moments = new ArrayList<>();
            while (!stages.isEmpty()) {
                stages.getFirst().want();
                leasing.step(stages);
                moments.add(moment(clock.instant(), stages.getFirst(), leasing));
                clock.advance(STEP);
                if (stages.getFirst().done()) {
                    stages.removeFirst();
                }
            }
            Duration elapsed = Duration.between(BEGIN, clock.instant());
            while (!leasing.quiet()) {
                leasing.step(stages);
                clock.advance(STEP);
            }
            CostReport costs = CostReport.of(JOB, log.lines(), cloud, clock.instant());
            return new SortAggregateRun(form, elapsed, cloud.bill(), costs, moments);
        }
    }

    private static Workers workers(SimulatedCloud cloud) {
        return new Workers() {
            @Override
            public boolean answers(String instance) {
                return cloud.answers(instance);
            }

            @Override
            public boolean emptied(String instance, Instant by) {
                return true;
            }
        };
    }

    private static Moment moment(Instant now, ModelledStage stage, Leasing leasing) {
        int large = 0;
        int small = 0;
        for (Leasing.StageStatus one : leasing.statuses()) {
            boolean runs =
                    switch (one.state()) {
                        case IDLE, USED, LEAVING -> true;
                        case REQUESTED, STARTING, ENDING, UNCONFIRMED, ENDED -> false;
                    };
            if (runs && one.type().equals(CloudSetting.C1_XLARGE.name())) {
                large++;
            } else if (runs) {
                small++;
            }
        }
        int cores = large * CloudSetting.C1_XLARGE.cores() + small;
        double minute = Duration.between(BEGIN, now).toSeconds() / 60.0;
        return new Moment(
                minute, large, small, cores == 0 ? 0 : Math.min(1, stage.busyCores() / cores));
    }
}
