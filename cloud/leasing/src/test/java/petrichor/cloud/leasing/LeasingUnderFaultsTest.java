package petrichor.cloud.leasing;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.cloud.simulated.CloudSetting.C1_XLARGE;
import static petrichor.cloud.simulated.CloudSetting.M1_SMALL;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import petrichor.cloud.Billing;
import petrichor.cloud.leasing.Need.Wish;
import petrichor.cloud.simulated.Bill;
import petrichor.cloud.simulated.CloudSetting;
import petrichor.cloud.simulated.FaultProfile;

/**
 * Tests random jobs in a cloud that refuses, loses, delays and falsifies requests and answers, with
 * an owner that is killed at random steps. {@code -Dseed=} replays one seed, {@code -Dworlds=} sets
 * their number.
 */
final class LeasingUnderFaultsTest {
    private static final int WORLDS = Integer.getInteger("worlds", 150);
    private static final long SEED = Long.getLong("seed", -1);
    private static final double KILLS = 0.01;
    private static final Duration TIMEOUT = Duration.ofDays(4);

    private final List<String> excuses = new ArrayList<>();
    private int unusedHours;
    private int paidHours;
    private int killed;

    @Test
    void everyMachineIsReleasedAndNoHourIsWasted() {
        if (SEED >= 0) {
            judge(SEED);
        } else {
            for (long seed = 0; seed < WORLDS; seed++) {
                judge(seed);
            }
            assertThat(killed).as("owners that were killed").isGreaterThan(WORLDS / 2);
        }
        System.out.println(
                "worlds "
                        + WORLDS
                        + ", owners killed "
                        + killed
                        + ", hours paid "
                        + paidHours
                        + ", of them unused "
                        + unusedHours
                        + ", excused by "
                        + tally());
    }

    private Map<String, Integer> tally() {
        Map<String, Integer> tally = new TreeMap<>();
        excuses.forEach(excuse -> tally.merge(excuse, 1, Integer::sum));
        return tally;
    }

    private void judge(long seed) {
        try {
            World world = world(seed);
            world.until("all jobs are done", world::done, TIMEOUT);
            world.noMoreKills();
            world.until("nothing is leased", () -> world.leasing().quiet(), Duration.ofHours(3));
            world.pass(Duration.ofMinutes(10));
            assertThat(world.cloud.leased()).as("machines without a lessee").isEmpty();
            world.clock.advance(Duration.ofDays(1));
            assertThat(world.cloud.leased()).as("came after the end").isEmpty();
            killed += world.outages.size();
            hours(world);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("-Dseed=" + seed + ": " + e.getMessage(), e);
        }
    }

    private static World world(long seed) {
        SplittableRandom random = new SplittableRandom(seed * 7919 + 1);
        CloudSetting setting = CloudSetting.of(Billing.WHOLE_HOURS, C1_XLARGE, M1_SMALL);
        if (random.nextBoolean()) {
            setting = setting.withCapacity(Map.of("c1.xlarge", 3, "m1.small", 4));
        }
        if (random.nextBoolean()) {
            Instant from = World.BEGIN.plusSeconds(random.nextInt(7_200));
            setting =
                    setting.withDroughts(
                            List.of(
                                    new CloudSetting.CapacityShortage(
                                            "c1.xlarge",
                                            from,
                                            from.plusSeconds(random.nextInt(9_000)))));
        }
        boolean spot = random.nextBoolean();
        if (spot) {
            setting =
                    setting.withSpotPrices(
                            Map.of(
                                    "m1.small",
                                    Traces.steps("0.03", random.nextInt(300) + 1, "0.2")));
        }
        FaultProfile weather = random.nextInt(5) == 0 ? FaultProfile.NONE : FaultProfile.HEAVY;
        World world =
                new World(
                        setting,
                        weather,
                        LeasingLimits.DEFAULT,
                        seed,
                        random.nextInt(4) == 0 ? 0 : KILLS,
                        spot ? World::dear : SpotChoice.NEVER);
        int jobs = 1 + random.nextInt(3);
        for (int job = 0; job < jobs; job++) {
            int stages = 1 + random.nextInt(4);
            SimulatedStage[] all = new SimulatedStage[stages];
            for (int number = 0; number < stages; number++) {
                all[number] = stage(world, "job-" + job, number, random);
            }
            world.job(all);
        }
        return world;
    }

    private static SimulatedStage stage(
            World world, String job, int number, SplittableRandom random) {
        List<Need> needs = new ArrayList<>();
        Wish wish =
                random.nextBoolean()
                        ? new Wish.Named(random.nextBoolean() ? "c1.xlarge" : "m1.small")
                        : new Wish.AtLeast(1 + random.nextInt(3), 1 << 20, 0);
        needs.add(new Need("main", wish, 1 + random.nextInt(3), false, random.nextBoolean()));
        if (random.nextInt(3) == 0) {
            needs.add(
                    new Need(
                            "more",
                            new Wish.Named("m1.small"),
                            1,
                            random.nextBoolean(),
                            random.nextBoolean()));
        }
        return new SimulatedStage(
                new StageId(job, number),
                needs,
                Duration.ofMinutes(1 + random.nextInt(random.nextBoolean() ? 20 : 150)),
                random.nextBoolean(),
                world.clock,
                world.cloud,
                world.taken);
    }

    private void hours(World world) {
        Bill bill = world.cloud.bill();
        for (Bill.Line line : bill.lines()) {
            for (Bill.Unit unit : line.units()) {
                paidHours++;
                if (unit.used().isZero() && unit.paid().micros() > 0) {
                    unusedHours++;
                    excuses.add(excuse(world, line, unit));
                }
            }
        }
    }

    /** Why a paid hour was unused; only a few reasons are acceptable. */
    private static String excuse(World world, Bill.Line line, Bill.Unit unit) {
        Duration margin = Duration.ofMinutes(3);
        for (World.Outage outage : world.outages) {
            if (outage.from().isBefore(unit.to())
                    && outage.to().isAfter(unit.from().minus(margin).minus(margin))) {
                return "the owner was dead";
            }
        }
        Instant leaves = Instant.MAX;
        Instant lastUse = Instant.MIN;
        String token = "";
        boolean used = false;
        for (LeaseLine each : world.log.lines()) {
            if (each.instance().isPresent() && each.instance().get().equals(line.instance())) {
                token = each.token();
                if (used) {
                    lastUse = each.at();
                }
                used = each.state() == LeaseState.USED;
                boolean going =
                        each.state() == LeaseState.LEAVING || each.state() == LeaseState.ENDING;
                if (going && each.at().isBefore(leaves)) {
                    leaves = each.at();
                }
            }
        }
        if (leaves.isBefore(unit.from()) || leaves.equals(unit.from())) {
            return "the cloud did not end it in time";
        }
        if (lastUse.isAfter(unit.from().minus(margin)) && !lastUse.isAfter(unit.from())) {
            return "its stage ended just before";
        }
        if (unit.from().equals(line.from())) {
            return "its first hour: the others did not come";
        }
        throw new AssertionError(
                "an hour of "
                        + line.instance()
                        + " ("
                        + token
                        + ") from "
                        + unit.from()
                        + " was paid for nothing: "
                        + world.log.lines().stream()
                                .filter(
                                        each ->
                                                each.instance()
                                                        .equals(Optional.of(line.instance())))
                                .map(LeaseLine::text)
                                .toList());
    }
}
