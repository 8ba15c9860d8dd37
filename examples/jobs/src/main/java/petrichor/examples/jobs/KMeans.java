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
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.ReduceCode;

/**
 * Finds the centres of clusters of points (Lloyd's algorithm). Each iteration assigns every point
 * to its nearest centre and moves every centre to the mean of its points, until no centre moves.
 * The points with the smallest ids are the first centres; a centre without points is removed.
 */
public final class KMeans implements JobProgram {
    private static final int ROUNDS_MAX = 100;
    private static final double STANDING = 1e-9;

    private static final RecordType CENTRE =
            RecordType.of(Field.int64("centre"), Field.float64("x"), Field.float64("y"));
    private static final RecordType DISTANCE =
            RecordType.of(
                    Field.int64("point"),
                    Field.float64("x"),
                    Field.float64("y"),
                    Field.int64("centre"),
                    Field.float64("distance"));

    @Override
    public Plan plan(Arguments arguments) {
        return plan(
                arguments.text("input"), arguments.text("output"), arguments.whole("clusters", 5));
    }

    static Plan plan(String points, String result, int clusters) {
        var plan = Plan.named("k-means").parallelism(2);
        var all =
                plan.read(
                        CsvSource.of(
                                points,
                                CsvSource.Dialect.COMMA,
                                Field.int64("point"),
                                Field.float64("x"),
                                Field.float64("y")));
        var loop = plan.iterate(firstCentres(all, clusters), ROUNDS_MAX);
        var next = middles(all, loop.current());
        loop.closeWhile(next, moved(loop.current(), next))
                .sortBy(Key.of(0))
                .write(new CsvSink(Target.file(result), CsvSource.Dialect.COMMA));
        return plan;
    }

    private static DataSet firstCentres(DataSet points, int clusters) {
        return points.sortBy(Key.of(0))
                .first(clusters)
                .map(
                        "first centres",
                        CENTRE,
                        (point, out) ->
                                out.record()
                                        .copy(0, point, 0)
                                        .copy(1, point, 1)
                                        .copy(2, point, 2)
                                        .emit());
    }

    private static DataSet middles(DataSet points, DataSet centres) {
        return points.cross(
                        centres,
                        "distances",
                        DISTANCE,
                        (point, centre, out) -> {
                            double x = point.float64(1) - centre.float64(1);
                            double y = point.float64(2) - centre.float64(2);
                            out.record()
                                    .copy(0, point, 0)
                                    .copy(1, point, 1)
                                    .copy(2, point, 2)
                                    .copy(3, centre, 0)
                                    .float64(4, x * x + y * y)
                                    .emit();
                        })
                .groupBy("point")
                .combinedBy(nearest())
                .reduce("nearest", DISTANCE, nearest())
                .groupBy("centre")
                .aggregate(Aggregate.average(1), Aggregate.average(2))
                .map(
                        "centres",
                        CENTRE,
                        (middle, out) ->
                                out.record()
                                        .copy(0, middle, 0)
                                        .copy(1, middle, 1)
                                        .copy(2, middle, 2)
                                        .emit());
    }

    private static ReduceCode nearest() {
        return (distances, out) -> {
            var nearest = out.record();
            double least = Double.POSITIVE_INFINITY;
            for (var each : distances) {
                if (each.float64(4) < least) {
                    least = each.float64(4);
                    nearest.start().copy(each);
                }
            }
            nearest.emit();
        };
    }

    private static DataSet moved(DataSet before, DataSet after) {
        return before.match(after, "centre", "centre")
                .with(
                        "moved",
                        CENTRE,
                        (was, is, out) -> {
                            double x = was.float64(1) - is.float64(1);
                            double y = was.float64(2) - is.float64(2);
                            if (Math.hypot(x, y) > STANDING) {
                                out.emit(is);
                            }
                        });
    }
}
