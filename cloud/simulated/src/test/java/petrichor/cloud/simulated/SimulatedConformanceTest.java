package petrichor.cloud.simulated;

import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import petrichor.cloud.Billing;
import petrichor.cloud.Cloud;
import petrichor.cloud.testkit.CloudConformance;
import petrichor.cloud.testkit.CloudUnderTest;

final class SimulatedConformanceTest implements CloudConformance {
    @Override
    public CloudUnderTest underTest() {
        VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
        Cloud cloud =
                new SimulatedCloud(
                        CloudSetting.of(
                                Billing.WHOLE_HOURS, CloudSetting.M1_SMALL, CloudSetting.C1_XLARGE),
                        clock,
                        FaultProfile.NONE,
                        1);
        return new CloudUnderTest() {
            @Override
            public Cloud cloud() {
                return cloud;
            }

            @Override
            public Cloud reopen() {
                return cloud;
            }

            @Override
            public void until(String what, BooleanSupplier condition) {
                for (int second = 0; second < 3_600; second++) {
                    if (condition.getAsBoolean()) {
                        return;
                    }
                    clock.advance(Duration.ofSeconds(1));
                }
                throw new AssertionError("not within an hour: " + what);
            }

            @Override
            public void close() {}
        };
    }
}
