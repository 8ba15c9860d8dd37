package petrichor.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Record;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.testkit.Rows;

/** The two iterations that everybody knows, held against loops over arrays. */
final class IterationsTest {
    private static final RecordType RANK =
            RecordType.of(Field.int64("page"), Field.float64("rank"));
    private static final RecordType LINK =
            RecordType.of(Field.int64("from"), Field.int64("to"), Field.int64("links"));
    private static final RecordType POINT =
            RecordType.of(Field.int64("id"), Field.float64("x"), Field.float64("y"));
    private static final RecordType NEAR =
            RecordType.of(
                    Field.int64("point"),
                    Field.float64("x"),
                    Field.float64("y"),
                    Field.int64("centre"),
                    Field.float64("distance"));

    private static final int PAGES = 60;
    private static final int LINKS_PER_PAGE = 4;
    private static final int ROUNDS = 8;
    private static final double DAMPING = 0.85;

    @TempDir Path folder;

    @Test
    void ranksOfPages() {
        var links =
                Rows.of(
                        LINK,
                        PAGES * LINKS_PER_PAGE,
                        (builder, i) ->
                                builder.int64(0, from(i)).int64(1, to(i)).int64(2, LINKS_PER_PAGE));
        var initial =
                Rows.of(RANK, PAGES, (builder, i) -> builder.int64(0, i).float64(1, 1.0 / PAGES));
        var sink = new Rows.ListSink("ranks");
        var plan = Plan.named("ranks").parallelism(2);
        var linkSet = plan.read(new Rows.ListSource("links", LINK, new ArrayList<>(links)));
        var loop =
                plan.iterate(
                        plan.read(new Rows.ListSource("pages", RANK, new ArrayList<>(initial))),
                        ROUNDS);
        var shares =
                loop.current()
                        .match(linkSet, "page", "from")
                        .with(
                                "shares",
                                RANK,
                                (page, link, out) ->
                                        out.record()
                                                .copy(0, link, 1)
                                                .float64(1, page.float64(1) / link.int64(2))
                                                .emit())
                        .moved(Side.SECOND, 1, 0);
        var next =
                shares.groupBy("page")
                        .aggregate(Aggregate.sum(1))
                        .map(
                                "damped",
                                RANK,
                                (in, out) ->
                                        out.record()
                                                .copy(0, in, 0)
                                                .float64(
                                                        1,
                                                        (1 - DAMPING) / PAGES
                                                                + DAMPING * in.float64(1))
                                                .emit())
                        .constant("page")
                        .emitsAtMostOne();
        loop.close(next).write(sink);

        jobs().run(plan);

        var expected = ranks();
        var actual = new TreeMap<Long, Double>();
        for (var row : sink.rows()) {
            var parts = row.substring(1, row.length() - 1).split(", ", -1);
            actual.put(Long.parseLong(parts[0]), Double.parseDouble(parts[1]));
        }
        assertThat(actual).hasSize(PAGES);
        actual.forEach(
                (page, rank) ->
                        assertThat(rank).isCloseTo(expected[page.intValue()], within(1e-12)));
    }

    /** Every page has a link from its neighbour, so that none drops out. */
    private static int from(int link) {
        return link / LINKS_PER_PAGE;
    }

    private static int to(int link) {
        return link % LINKS_PER_PAGE == 0
                ? (from(link) + 1) % PAGES
                : (from(link) * 7 + link * 13) % PAGES;
    }

    private static double[] ranks() {
        var ranks = new double[PAGES];
        Arrays.fill(ranks, 1.0 / PAGES);
        for (int round = 0; round < ROUNDS; round++) {
            var sums = new double[PAGES];
            for (int link = 0; link < PAGES * LINKS_PER_PAGE; link++) {
                sums[to(link)] += ranks[from(link)] / LINKS_PER_PAGE;
            }
            for (int page = 0; page < PAGES; page++) {
                ranks[page] = (1 - DAMPING) / PAGES + DAMPING * sums[page];
            }
        }
        return ranks;
    }

    @Test
    void centresOfClusters() {
        int clusters = 3;
        var random = new Random(7);
        var points =
                Rows.of(
                        POINT,
                        300,
                        (builder, i) ->
                                builder.int64(0, i)
                                        .float64(1, 10.0 * (i % clusters) + random.nextGaussian())
                                        .float64(2, -5.0 * (i % clusters) + random.nextGaussian()));
        var initial =
                Rows.of(
                        POINT,
                        clusters,
                        (builder, i) ->
                                builder.int64(0, i)
                                        .float64(1, 10.0 * i + 2)
                                        .float64(2, -5.0 * i - 2));
        var sink = new Rows.ListSink("centres");
        var plan = Plan.named("clusters").parallelism(2);
        var pointSet = plan.read(new Rows.ListSource("points", POINT, new ArrayList<>(points)));
        var loop =
                plan.iterate(
                        plan.read(new Rows.ListSource("centres", POINT, new ArrayList<>(initial))),
                        5);
        var nearest =
                pointSet.cross(
                                loop.current(),
                                "distances",
                                NEAR,
                                (point, centre, out) ->
                                        out.record()
                                                .copy(0, point, 0)
                                                .copy(1, point, 1)
                                                .copy(2, point, 2)
                                                .copy(3, centre, 0)
                                                .float64(4, distance(point, centre))
                                                .emit())
                        .moved(Side.FIRST, 0, 0)
                        .groupBy("point")
                        .reduce(
                                "nearest",
                                POINT,
                                (group, out) -> {
                                    Record best = null;
                                    for (var near : group) {
                                        if (best == null || near.float64(4) < best.float64(4)) {
                                            best = near.copy();
                                        }
                                    }
                                    if (best != null) {
                                        out.record()
                                                .copy(0, best, 3)
                                                .copy(1, best, 1)
                                                .copy(2, best, 2)
                                                .emit();
                                    }
                                });
        var next =
                nearest.groupBy("id")
                        .aggregate(Aggregate.average(1), Aggregate.average(2))
                        .map(
                                "centre",
                                POINT,
                                (in, out) ->
                                        out.record()
                                                .copy(0, in, 0)
                                                .copy(1, in, 1)
                                                .copy(2, in, 2)
                                                .emit());
        loop.close(next).write(sink);

        jobs().run(plan);

        assertThat(sink.rows()).hasSize(clusters);
        for (var row : sink.rows()) {
            var parts = row.substring(1, row.length() - 1).split(", ", -1);
            long centre = Long.parseLong(parts[0]);
            // The clusters lie far apart: after five rounds each centre is its points' average.
            double x =
                    points.stream()
                            .filter(p -> p.int64(0) % clusters == centre)
                            .mapToDouble(p -> p.float64(1))
                            .average()
                            .orElseThrow();
            double y =
                    points.stream()
                            .filter(p -> p.int64(0) % clusters == centre)
                            .mapToDouble(p -> p.float64(2))
                            .average()
                            .orElseThrow();
            assertThat(Double.parseDouble(parts[1])).isCloseTo(x, within(1e-9));
            assertThat(Double.parseDouble(parts[2])).isCloseTo(y, within(1e-9));
        }
    }

    private static double distance(Record a, Record b) {
        return Math.hypot(a.float64(1) - b.float64(1), a.float64(2) - b.float64(2));
    }

    private Jobs jobs() {
        return Jobs.local()
                .with(
                        EngineOptions.ofThisProcess()
                                .withMemoryBytes(64 << 20)
                                .withSpillFolder(folder));
    }
}
