package petrichor.jobs.local;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.pact.DataSet;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.ReduceCode;

/**
 * The two best-known iterations, and the same as loops over arrays. They use integers, so that the
 * result does not depend on the order of addition.
 */
final class KnownIterations {
    private static final int PAGES = 2_000;
    private static final int LINKS_PER_PAGE = 4;
    private static final long BEGIN = 1_000_000;

    private static final int POINTS = 5_000;
    private static final int CENTRES = 5;

    private static final RecordType RANK = RecordType.of(Field.int64("page"), Field.int64("rank"));
    private static final RecordType CENTRE =
            RecordType.of(Field.int64("centre"), Field.int64("x"), Field.int64("y"));
    private static final RecordType DISTANCE =
            RecordType.of(
                    Field.int64("point"),
                    Field.int64("x"),
                    Field.int64("y"),
                    Field.int64("centre"),
                    Field.int64("distance"));

    private KnownIterations() {}

    /** PageRank; every page has a link from its neighbour, so that none drops out. */
    static ExampleJob pageRank(Random random, Path folder, int rounds) throws IOException {
        int[] to = new int[PAGES * LINKS_PER_PAGE];
        List<String> links = new ArrayList<>();
        for (int i = 0; i < to.length; i++) {
            int from = i / LINKS_PER_PAGE;
            to[i] = i % LINKS_PER_PAGE == 0 ? (from + 1) % PAGES : random.nextInt(PAGES);
            links.add(from + "," + to[i]);
        }
        long[] ranks = new long[PAGES];
        List<String> pages = new ArrayList<>();
        for (int i = 0; i < PAGES; i++) {
            ranks[i] = BEGIN;
            pages.add(i + "," + BEGIN);
        }
        for (int round = 0; round < rounds; round++) {
            long[] sums = new long[PAGES];
            for (int i = 0; i < to.length; i++) {
                sums[to[i]] += ranks[i / LINKS_PER_PAGE] / LINKS_PER_PAGE;
            }
            for (int i = 0; i < PAGES; i++) {
                ranks[i] = damped(sums[i]);
            }
        }
        Plan plan = ExampleJob.plan("page rank");
        DataSet linked =
                plan.read(
                        ExampleJob.csv(
                                folder, "links", links, Field.int64("from"), Field.int64("to")));
        var loop =
                plan.iterate(
                        plan.read(
                                ExampleJob.csv(
                                        folder,
                                        "pages",
                                        pages,
                                        Field.int64("page"),
                                        Field.int64("rank"))),
                        rounds);
        DataSet next =
                loop.current()
                        .match(linked, "page", "from")
                        .with(
                                "shares",
                                RANK,
                                (page, link, out) ->
                                        out.record()
                                                .copy(0, link, 1)
                                                .int64(1, page.int64(1) / LINKS_PER_PAGE)
                                                .emit())
                        .moved(Side.SECOND, 1, 0)
                        .groupBy("page")
                        .aggregate(Aggregate.sum(1))
                        .map(
                                "damped",
                                RANK,
                                (in, out) ->
                                        out.record()
                                                .copy(0, in, 0)
                                                .int64(1, damped(in.int64(1)))
                                                .emit())
                        .constant("page")
                        .emitsAtMostOne();
        loop.close(next).sortBy(Key.of(0)).write(ExampleJob.csv(folder));
        return ExampleJob.of(
                        plan,
                        folder,
                        IntStream.range(0, PAGES)
                                .mapToObj(page -> page + "," + ranks[page])
                                .toList())
                .iterating();
    }

    private static long damped(long sum) {
        return BEGIN * 15 / 100 + sum * 85 / 100;
    }

    /** k-means; of two equally near centres, a point takes the first. */
    static ExampleJob kMeans(Random random, Path folder, int rounds) throws IOException {
        long[][] points = new long[POINTS][];
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < POINTS; i++) {
            points[i] = new long[] {random.nextInt(10_000), random.nextInt(10_000)};
            lines.add(i + "," + points[i][0] + "," + points[i][1]);
        }
        Map<Long, long[]> centres = new TreeMap<>();
        for (int i = 0; i < CENTRES; i++) {
            centres.put((long) i, points[i]);
        }
        List<String> first = shown(centres);
        for (int round = 0; round < rounds; round++) {
            centres = middles(points, centres);
        }
        Plan plan = ExampleJob.plan("k-means");
        DataSet all =
                plan.read(
                        ExampleJob.csv(
                                folder,
                                "points",
                                lines,
                                Field.int64("point"),
                                Field.int64("x"),
                                Field.int64("y")));
        var loop =
                plan.iterate(
                        plan.read(
                                ExampleJob.csv(
                                        folder,
                                        "centres",
                                        first,
                                        Field.int64("centre"),
                                        Field.int64("x"),
                                        Field.int64("y"))),
                        rounds);
        loop.close(middles(all, loop.current())).sortBy(Key.of(0)).write(ExampleJob.csv(folder));
        return ExampleJob.of(plan, folder, shown(centres)).iterating();
    }

    private static List<String> shown(Map<Long, long[]> centres) {
        return centres.entrySet().stream()
                .map(each -> each.getKey() + "," + each.getValue()[0] + "," + each.getValue()[1])
                .toList();
    }

    private static Map<Long, long[]> middles(long[][] points, Map<Long, long[]> centres) {
        Map<Long, long[]> sums = new TreeMap<>();
        for (long[] point : points) {
            long nearest = -1;
            long least = Long.MAX_VALUE;
            for (var centre : centres.entrySet()) {
                long distance =
                        distance(point[0], point[1], centre.getValue()[0], centre.getValue()[1]);
                if (distance < least) {
                    least = distance;
                    nearest = centre.getKey();
                }
            }
            long[] sum = sums.computeIfAbsent(nearest, _ -> new long[3]);
            sum[0] += point[0];
            sum[1] += point[1];
            sum[2]++;
        }
        sums.replaceAll((_, sum) -> new long[] {sum[0] / sum[2], sum[1] / sum[2]});
        return sums;
    }

    private static DataSet middles(DataSet points, DataSet centres) {
        return points.cross(
                        centres,
                        "distances",
                        DISTANCE,
                        (point, centre, out) ->
                                out.record()
                                        .copy(0, point, 0)
                                        .copy(1, point, 1)
                                        .copy(2, point, 2)
                                        .copy(3, centre, 0)
                                        .int64(
                                                4,
                                                distance(
                                                        point.int64(1),
                                                        point.int64(2),
                                                        centre.int64(1),
                                                        centre.int64(2)))
                                        .emit())
                .moved(Side.FIRST, 0, 0)
                .groupBy("point")
                .combinedBy(nearest())
                .reduce("nearest", DISTANCE, nearest())
                .groupBy("centre")
                .aggregate(Aggregate.sum(1), Aggregate.sum(2), Aggregate.count())
                .map(
                        "centres",
                        CENTRE,
                        (sum, out) ->
                                out.record()
                                        .copy(0, sum, 0)
                                        .int64(1, sum.int64(1) / sum.int64(3))
                                        .int64(2, sum.int64(2) / sum.int64(3))
                                        .emit());
    }

    private static long distance(long x, long y, long toX, long toY) {
        return (x - toX) * (x - toX) + (y - toY) * (y - toY);
    }

    private static ReduceCode nearest() {
        return (distances, out) -> {
            var nearest = out.record();
            long least = Long.MAX_VALUE;
            long centre = Long.MAX_VALUE;
            for (var each : distances) {
                boolean nearer =
                        each.int64(4) < least || (each.int64(4) == least && each.int64(3) < centre);
                if (nearer) {
                    least = each.int64(4);
                    centre = each.int64(3);
                    nearest.start().copy(each);
                }
            }
            nearest.emit();
        };
    }
}
