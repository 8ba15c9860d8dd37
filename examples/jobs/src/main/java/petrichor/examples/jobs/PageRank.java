package petrichor.examples.jobs;

import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.JobProgram;
import petrichor.jobs.pact.DataSet;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.Order;
import petrichor.jobs.records.RecordType;

/**
 * Computes the PageRank of pages that link to each other: the probability that a reader is on a
 * page who follows random links and occasionally jumps to a random page. From a page without links,
 * readers jump to any page. Each iteration simulates one step of all readers, until no rank
 * changes.
 */
public final class PageRank implements JobProgram {
    private static final double FOLLOWS = 0.85;
    private static final double SETTLED = 1e-9;
    private static final int ROUNDS_MAX = 100;

    private static final RecordType PAGE = RecordType.of(Field.text("page"));
    private static final RecordType RANK = RecordType.of(Field.text("page"), Field.float64("rank"));
    private static final RecordType LINK =
            RecordType.of(Field.text("from"), Field.text("to"), Field.int64("links"));
    private static final RecordType READERS =
            RecordType.of(Field.float64("following"), Field.int64("pages"));

    @Override
    public Plan plan(Arguments arguments) {
        return plan(arguments.text("input"), arguments.text("output"));
    }

    static Plan plan(String links, String result) {
        var plan = Plan.named("page rank").parallelism(2);
        var pairs =
                plan.read(
                        CsvSource.of(
                                links,
                                CsvSource.Dialect.COMMA,
                                Field.text("from"),
                                Field.text("to")));
        var pages = pages(pairs);
        var count = pages.aggregate(Aggregate.count());
        var weighted =
                pairs.match(pairs.groupBy("from").aggregate(Aggregate.count()), "from", "from")
                        .with(
                                "links of a page",
                                LINK,
                                (link, page, out) ->
                                        out.record()
                                                .copy(0, link, 0)
                                                .copy(1, link, 1)
                                                .copy(2, page, 1)
                                                .emit());
        var even =
                pages.cross(
                        count,
                        "even ranks",
                        RANK,
                        (page, all, out) ->
                                out.record()
                                        .copy(0, page, 0)
                                        .float64(1, 1.0 / all.int64(0))
                                        .emit());

        var loop = plan.iterate(even, ROUNDS_MAX);
        var next = step(loop.current(), weighted, pages, count);
        loop.closeWhile(next, changed(loop.current(), next))
                .sortBy(Key.descending(1).then(0, Order.ASCENDING))
                .write(new CsvSink(Target.file(result), CsvSource.Dialect.COMMA));
        return plan;
    }

    /** Every page with outgoing or incoming links. */
    private static DataSet pages(DataSet pairs) {
        return pairs.map(
                        "pages",
                        PAGE,
                        (link, out) -> {
                            out.record().copy(0, link, 0).emit();
                            out.record().copy(0, link, 1).emit();
                        })
                .groupBy("page")
                .distinct();
    }

    private static DataSet step(DataSet ranks, DataSet links, DataSet pages, DataSet count) {
        var followed =
                ranks.match(links, "page", "from")
                        .with(
                                "follow links",
                                RANK,
                                (page, link, out) ->
                                        out.record()
                                                .copy(0, link, 1)
                                                .float64(1, page.float64(1) / link.int64(2))
                                                .emit());
        var following =
                followed.aggregate(Aggregate.sum(1))
                        .cross(
                                count,
                                "readers",
                                READERS,
                                (sum, all, out) ->
                                        out.record().copy(0, sum, 0).copy(1, all, 0).emit());
        var staying =
                pages.map(
                        "nobody",
                        RANK,
                        (page, out) -> out.record().copy(0, page, 0).float64(1, 0).emit());
        return followed.union(staying)
                .groupBy("page")
                .aggregate(Aggregate.sum(1))
                .cross(
                        following,
                        "restart",
                        RANK,
                        (page, readers, out) -> {
                            double anew = 1 - FOLLOWS * readers.float64(0);
                            out.record()
                                    .copy(0, page, 0)
                                    .float64(1, FOLLOWS * page.float64(1) + anew / readers.int64(1))
                                    .emit();
                        });
    }

    private static DataSet changed(DataSet before, DataSet after) {
        return before.match(after, "page", "page")
                .with(
                        "changed",
                        RANK,
                        (was, is, out) -> {
                            if (Math.abs(was.float64(1) - is.float64(1)) > SETTLED) {
                                out.emit(is);
                            }
                        });
    }
}
