package petrichor.jobs.leased;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import petrichor.cloud.Billing;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;
import petrichor.cloud.PricePoint;
import petrichor.cloud.PriceTrace;
import petrichor.cloud.simulated.CloudSetting;
import petrichor.cloud.simulated.FaultProfile;
import petrichor.cloud.simulated.SimulatedCloud;
import petrichor.cloud.simulated.VirtualClock;

/** When a spot machine is expected to be cheaper. */
class SpotBidsTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration LENGTH = Duration.ofDays(60);
    private static final Instant NOW = BEGIN.plus(Duration.ofDays(40)).plusSeconds(1);
    private static final InstanceType SMALL = CloudSetting.M1_SMALL;
    private static final Optional<Duration> TWO_HOURS = Optional.of(Duration.ofHours(2));

    private static Optional<Money> bid(Instant now, PricePoint... prices) {
        PriceTrace trace = new PriceTrace(List.of(prices), BEGIN.plus(LENGTH));
        VirtualClock clock = new VirtualClock(now);
        SimulatedCloud cloud =
                new SimulatedCloud(
                        CloudSetting.of(Billing.PER_SECOND, SMALL)
                                .withSpotPrices(Map.of(SMALL.name(), trace)),
                        clock,
                        FaultProfile.NONE,
                        1);
        return new SpotBids(cloud, clock).bid(SMALL, TWO_HOURS);
    }

    private static PricePoint price(Duration after, String dollars) {
        return new PricePoint(BEGIN.plus(after), Money.parse(dollars));
    }

    @Test
    void aMarketThatIsAlwaysCheapIsUsed() {
        assertThat(bid(NOW, price(Duration.ZERO, "0.03"))).contains(SMALL.pricePerHour());
    }

    @Test
    void aMarketMoreExpensiveThanOnDemandIsNotUsed() {
        assertThat(bid(NOW, price(Duration.ZERO, "0.11"))).isEmpty();
    }

    @Test
    void aMarketThatReclaimsMachinesWithinAnHourIsNotUsed() {
        List<PricePoint> prices = new ArrayList<>();
        for (int hour = 0; hour < LENGTH.toHours(); hour += 2) {
            prices.add(price(Duration.ofHours(hour), "0.06"));
            prices.add(price(Duration.ofHours(hour + 1), "0.50"));
        }
        assertThat(bid(NOW, prices.toArray(new PricePoint[0]))).isEmpty();
    }

    @Test
    void noBidIsMadeWithoutAHistory() {
        assertThat(bid(BEGIN.plusSeconds(3600), price(Duration.ZERO, "0.03"))).isEmpty();
    }
}
