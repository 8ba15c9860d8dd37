package petrichor.jobs.python;

import java.util.List;
import petrichor.jobs.formats.CsvColumn;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.FixedColumn;
import petrichor.jobs.formats.FixedSink;
import petrichor.jobs.formats.FixedSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSink;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.Source;

/** Sources and sinks as a plan's document describes them. Stateless. */
final class FormatParts {
    private FormatParts() {}

    static Source source(DocumentPart node) {
        String path = node.text("path");
        return switch (node.text("format")) {
            case "text" -> new TextSource(path);
            case "csv" ->
                    new CsvSource(
                            path,
                            dialect(node),
                            node.parts("columns").stream()
                                    .map(one -> new CsvColumn(one.whole("index"), one.field()))
                                    .toList());
            case "fixed" -> new FixedSource(path, fixed(node));
            case String other -> throw node.wrong("nothing is read from \"" + other + "\"");
        };
    }

    static Sink sink(DocumentPart node) {
        String path = node.text("path");
        var target = node.yes("folder") ? Target.folder(path) : Target.file(path);
        return switch (node.text("format")) {
            case "text" -> new TextSink(target);
            case "csv" -> new CsvSink(target, dialect(node));
            case "fixed" -> new FixedSink(target, fixed(node));
            case String other -> throw node.wrong("nothing is written as \"" + other + "\"");
        };
    }

    private static CsvSource.Dialect dialect(DocumentPart node) {
        String separator = node.text("separator");
        if (separator.length() != 1) {
            throw node.wrong("a separator is one character, not \"" + separator + "\"");
        }
        return new CsvSource.Dialect(separator.charAt(0), node.yes("header"));
    }

    private static List<FixedColumn> fixed(DocumentPart node) {
        return node.parts("columns").stream()
                .map(one -> new FixedColumn(one.field(), one.whole("bytes")))
                .toList();
    }
}
