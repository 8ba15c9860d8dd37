package petrichor.jobs.python;

import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.pact.DataSet;

/** Reads a node's annotations of its data set: parallelism, hints and promises. Stateless. */
final class NodeOptions {
    private NodeOptions() {}

    static void apply(DocumentPart node, DataSet set) {
        if (node.has("parallelism")) {
            set.parallelism(node.whole("parallelism"));
        }
        if (node.has("hints")) {
            hints(node.part("hints"), set);
        }
        if (node.has("promises")) {
            promises(node.part("promises"), set);
        }
    }

    private static void hints(DocumentPart hints, DataSet set) {
        if (hints.has("records")) {
            set.records(hints.number("records"));
        }
        if (hints.has("bytes_per_record")) {
            set.bytesPerRecord(hints.number("bytes_per_record"));
        }
        if (hints.has("records_per_call")) {
            set.recordsPerCall(hints.number("records_per_call"));
        }
        for (var one : hints.parts("distinct")) {
            set.distinct(one.number("number"), one.texts("fields").toArray(String[]::new));
        }
    }

    private static void promises(DocumentPart promises, DataSet set) {
        for (var one : promises.parts("moved")) {
            var side = one.whole("input") == 0 ? Side.FIRST : Side.SECOND;
            var inputs = set.node().inputs();
            if (side.input() >= inputs.size()) {
                throw one.wrong("it has a promise about an input that does not exist");
            }
            set.moved(
                    side,
                    inputs.get(side.input()).type().position(one.text("from")),
                    set.type().position(one.text("to")));
        }
        for (var one : promises.parts("unique")) {
            set.uniqueKey(one.texts("fields").toArray(String[]::new));
        }
        if (promises.yes("at_most_one")) {
            set.emitsAtMostOne();
        }
    }
}
