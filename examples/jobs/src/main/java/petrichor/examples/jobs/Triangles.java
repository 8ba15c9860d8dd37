package petrichor.examples.jobs;

import java.util.ArrayList;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.JobProgram;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;

/**
 * Lists all triangles: three nodes that are connected to each other. Edges are directed from the
 * smaller node to the larger one. Two edges from the same node form a triangle if their other ends
 * are connected too, so each triangle is found once, at its smallest node.
 */
public final class Triangles implements JobProgram {
    private static final RecordType EDGE = RecordType.of(Field.text("a"), Field.text("b"));
    private static final RecordType TRIANGLE =
            RecordType.of(Field.text("a"), Field.text("b"), Field.text("c"));

    @Override
    public Plan plan(Arguments arguments) {
        return plan(arguments.text("input"), arguments.text("output"));
    }

    static Plan plan(String links, String result) {
        var plan = Plan.named("triangles").parallelism(2);
        var edges =
                plan.read(
                                CsvSource.of(
                                        links,
                                        CsvSource.Dialect.COMMA,
                                        Field.text("from"),
                                        Field.text("to")))
                        .map(
                                "edges",
                                EDGE,
                                (link, out) -> {
                                    int order = link.text(0).compareTo(link.text(1));
                                    if (order != 0) {
                                        out.record()
                                                .copy(0, link, order < 0 ? 0 : 1)
                                                .copy(1, link, order < 0 ? 1 : 0)
                                                .emit();
                                    }
                                })
                        .groupBy("a", "b")
                        .distinct();
        var open =
                edges.groupBy("a")
                        .reduce(
                                "open triangles",
                                TRIANGLE,
                                (from, out) -> {
                                    var ends = new ArrayList<String>();
                                    for (var edge : from) {
                                        String end = edge.text(1);
                                        for (String other : ends) {
                                            boolean first = end.compareTo(other) < 0;
                                            out.record()
                                                    .copy(0, edge, 0)
                                                    .text(1, first ? end : other)
                                                    .text(2, first ? other : end)
                                                    .emit();
                                        }
                                        ends.add(end);
                                    }
                                });
        open.match(edges, Key.of(1, 2), Key.of(0, 1))
                .with("triangles", TRIANGLE, (triangle, edge, out) -> out.emit(triangle))
                .sortBy(Key.of(0, 1, 2))
                .write(new CsvSink(Target.file(result), CsvSource.Dialect.COMMA));
        return plan;
    }
}
