package petrichor.bench.apps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users who arrive during a load, and what is counted of it. */
final class UserRampTest {
    private static UserRamp.UserAnswer answer(double second, double millis, boolean expected) {
        return new UserRamp.UserAnswer(second, millis, expected, 100);
    }

    @Test
    void allUsersArriveAndSendUntilTheEnd() throws Exception {
        Set<Integer> seen = ConcurrentHashMap.newKeySet();
        UserRamp ramp =
                UserRamp.run(
                        5,
                        Duration.ofSeconds(2),
                        user -> {
                            seen.add(user);
                            LockSupport.parkNanos(1_000_000);
                            return 7;
                        });
        assertThat(seen).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
        assertThat(ramp.failed()).isZero();
        assertThat(ramp.bytesPerAnswer()).isEqualTo(7);
        assertThat(ramp.answers()).allMatch(each -> each.second() <= 2.0);
    }

    @Test
    void aRequestThatHangsDoesNotHoldTheEnd() throws Exception {
        long from = System.nanoTime();
        UserRamp ramp =
                UserRamp.run(
                        2,
                        Duration.ofMillis(200),
                        _ -> {
                            new CountDownLatch(1).await();
                            return 1;
                        });
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(30));
        assertThat(ramp.answers()).isEmpty();
    }

    @Test
    void anExceptionIsAFailedRequest() throws Exception {
        UserRamp ramp =
                UserRamp.run(
                        1,
                        Duration.ofMillis(500),
                        _ -> {
                            throw new IOException("refused");
                        });
        assertThat(ramp.failed()).isEqualTo(ramp.answers().size()).isPositive();
    }

    @Test
    void intervalsCountTheirAnswers() {
        UserRamp ramp =
                new UserRamp(
                        60,
                        Duration.ofSeconds(10),
                        List.of(answer(1, 5, true), answer(6, 10, true), answer(7, 30, false)));
        List<UserRamp.Interval> halves = ramp.intervals(2);
        assertThat(halves).extracting(UserRamp.Interval::users).containsExactly(30, 60);
        assertThat(halves).extracting(UserRamp.Interval::answers).containsExactly(1L, 2L);
        assertThat(halves).extracting(UserRamp.Interval::failed).containsExactly(0L, 1L);
        assertThat(halves.get(1).perSecond()).isEqualTo(0.2);
        assertThat(halves.get(1).times().micros(0.99)).isBetween(29_000.0, 30_000.0);
    }

    @Test
    void aMillionRequestsHaveAPrice() {
        HostingPrices prices = HostingPrices.listed();
        // 1,000 answers with 1 read and 1 write each in half an hour of one F1.
        HostingPrices.Bill bill = prices.bill(SeedLoad.SHELL, 0.5, 1_000, 1 << 20, 10);
        assertThat(bill.instances()).isEqualTo(25);
        assertThat(bill.datastore()).isCloseTo(2.4, offset(1e-9));
        assertThat(bill.egress()).isCloseTo(117.1875, offset(1e-9));
        assertThat(bill.machine()).isCloseTo(1.861, offset(1e-3));
    }

    @Test
    void theMinutesAreDividedAmongTheLoads() {
        assertThat(
                        SeedPlan.perLoad(
                                30, List.of(AppsCommand.Part.USERS, AppsCommand.Part.DEPLOY), 3))
                .isEqualTo(Duration.ofSeconds(200));
        assertThat(SeedPlan.perLoad(1_000, List.of(AppsCommand.Part.BATCHES), 1))
                .isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void aPageHasTheDrawingsOfAllParts(@TempDir Path folder) throws Exception {
        UserRamp ramp =
                new UserRamp(
                        60,
                        Duration.ofSeconds(10),
                        List.of(answer(6, 10, true), answer(8, 5, true)));
        for (String part : List.of("users", "queries")) {
            SeedLoad load = part.equals("users") ? SeedLoad.SHELL : SeedLoad.MIX;
            new SeedReport(
                            part,
                            List.of(new SeedResult("embedded", load, ramp, 1)),
                            HostingPrices.listed())
                    .write(folder);
        }
        assertThat(folder.resolve("apps.html"))
                .content()
                .contains("shell, embedded, 1 to 60 users in 10 s", "mix, embedded", "List prices");
        assertThat(folder.resolve("apps-users.csv")).content().contains("embedded,shell,10.0,60");
        assertThat(folder.resolve("apps-users-points.csv")).content().contains("6.00,10.0,yes");
        assertThat(folder.resolve("apps-users-costs.csv")).content().contains("embedded,shell,0.3");
    }
}
