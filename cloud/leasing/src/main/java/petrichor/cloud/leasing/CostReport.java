package petrichor.cloud.leasing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import petrichor.cloud.Cloud;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;

/**
 * The cost of a job's machines as recorded by leasing; the cloud's bill is authoritative.
 *
 * @param elapsed from the first to the last use of a machine
 * @param paid cost of all machines that worked for the job; machines shared with other jobs are
 *     included proportionally
 * @param fixedCluster cost of permanently running the job's maximum number of concurrent machines
 *     of each type
 * @param used time in which machines were used
 * @param idle time in which leased machines were idle
 */
public record CostReport(
        String job,
        Duration elapsed,
        Money paid,
        Money fixedCluster,
        Duration used,
        Duration idle,
        List<StageCost> stages) {
    static final String TAKEN = "reclaimed by the cloud: ";

    /**
     * The cost of one stage.
     *
     * @param machines number of machines per type
     */
    public record StageCost(
            StageId stage, Map<String, Integer> machines, Duration used, Money paid) {}

    public static CostReport of(String job, List<LeaseLine> lines, Cloud cloud, Instant now) {
        List<LeaseLife> lives = new ArrayList<>();
        for (LeaseLife life : LeaseLife.of(lines, now)) {
            if (life.uses().stream().anyMatch(use -> use.stage().job().equals(job))) {
                lives.add(life);
            }
        }
        Map<StageId, Map<String, Integer>> machines = new TreeMap<>(CostReport::order);
        Map<StageId, Duration> used = new TreeMap<>(CostReport::order);
        Map<StageId, Money> paid = new TreeMap<>(CostReport::order);
        Money all = Money.ZERO;
        Duration idle = Duration.ZERO;
        for (LeaseLife life : lives) {
            Money cost = life.cost(cloud);
            // Subtracts each share from the remainder, so that the shares add up to the total.
            Money costLeft = cost;
            long usedLeft = life.used().toNanos();
            Map<StageId, Duration> own = new LinkedHashMap<>();
            for (LeaseLife.Use use : life.uses()) {
                if (use.stage().job().equals(job)) {
                    own.merge(use.stage(), use.length(), Duration::plus);
                }
            }
            for (Map.Entry<StageId, Duration> each : own.entrySet()) {
                long part = each.getValue().toNanos();
                Money share = usedLeft == 0 ? Money.ZERO : costLeft.share(part, usedLeft);
                costLeft = costLeft.minus(share);
                usedLeft -= part;
                all = all.plus(share);
                machines.computeIfAbsent(each.getKey(), _ -> new TreeMap<>())
                        .merge(life.first().type(), 1, Integer::sum);
                used.merge(each.getKey(), each.getValue(), Duration::plus);
                paid.merge(each.getKey(), share, Money::plus);
            }
            Duration rest = life.ran().minus(life.used());
            idle = rest.isNegative() ? idle : idle.plus(rest);
        }
        List<StageCost> stages = new ArrayList<>();
        machines.forEach(
                (stage, types) ->
                        stages.add(
                                new StageCost(
                                        stage,
                                        types,
                                        used.getOrDefault(stage, Duration.ZERO),
                                        paid.getOrDefault(stage, Money.ZERO))));
        Duration elapsed = elapsed(job, lives);
        return new CostReport(
                job,
                elapsed,
                all,
                fixed(job, lives, elapsed, cloud),
                used.values().stream().reduce(Duration.ZERO, Duration::plus),
                idle,
                stages);
    }

    private static int order(StageId one, StageId other) {
        int jobs = one.job().compareTo(other.job());
        return jobs != 0 ? jobs : Integer.compare(one.number(), other.number());
    }

    private static List<LeaseLife.Use> uses(String job, LeaseLife life) {
        return life.uses().stream().filter(use -> use.stage().job().equals(job)).toList();
    }

    private static Duration elapsed(String job, List<LeaseLife> lives) {
        Instant from = Instant.MAX;
        Instant to = Instant.MIN;
        for (LeaseLife life : lives) {
            for (LeaseLife.Use use : uses(job, life)) {
                from = use.from().isBefore(from) ? use.from() : from;
                to = use.to().isAfter(to) ? use.to() : to;
            }
        }
        return from.isBefore(to) ? Duration.between(from, to) : Duration.ZERO;
    }

    private static Money fixed(String job, List<LeaseLife> lives, Duration elapsed, Cloud cloud) {
        Money all = Money.ZERO;
        for (InstanceType type : cloud.types()) {
            // At the same time, ends are counted before starts.
            Map<Instant, Integer> ends = new TreeMap<>();
            for (LeaseLife life : lives) {
                if (life.first().type().equals(type.name())) {
                    for (LeaseLife.Use use : uses(job, life)) {
                        ends.merge(use.from(), 1, Integer::sum);
                        ends.merge(use.to(), -1, Integer::sum);
                    }
                }
            }
            int most = 0;
            int count = 0;
            for (int change : ends.values()) {
                count += change;
                most = Math.max(most, count);
            }
            if (most > 0) {
                all = all.plus(cloud.billing().cost(type.pricePerHour(), elapsed).times(most));
            }
        }
        return all;
    }

    /** A text for a terminal. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(
                "job %s: %s in %s; a fixed cluster would have cost %s; machines busy %s, idle %s%n"
                        .formatted(
                                job,
                                paid,
                                length(elapsed),
                                fixedCluster,
                                length(used),
                                length(idle)));
        for (StageCost stage : stages) {
            text.append(
                    "  stage %d: %s, %s busy, %s%n"
                            .formatted(
                                    stage.stage().number() + 1,
                                    stage.machines(),
                                    length(stage.used()),
                                    stage.paid()));
        }
        return text.toString();
    }

    /** In seconds up to two minutes, because minutes are too coarse for short jobs. */
    private static String length(Duration time) {
        return time.compareTo(Duration.ofMinutes(2)) < 0
                ? String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1e3)
                : String.format(Locale.ROOT, "%.1f min", time.toMillis() / 60_000.0);
    }
}
