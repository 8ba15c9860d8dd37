package petrichor.jobs.python;

import java.util.List;
import petrichor.jobs.entities.EntityDatabase;
import petrichor.jobs.entities.EntitySink;
import petrichor.jobs.entities.QuerySource;
import petrichor.jobs.formats.CsvColumn;
import petrichor.jobs.formats.CsvColumns;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.FixedColumn;
import petrichor.jobs.formats.FixedSink;
import petrichor.jobs.formats.FixedSource;
import petrichor.jobs.formats.IfExists;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSink;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.parquet.ParquetSink;
import petrichor.jobs.parquet.ParquetSource;
import petrichor.jobs.records.Field;

/** Builds sources and sinks from a plan's document. Stateless. */
final class FormatParts {
    private FormatParts() {}

    static Source source(DocumentPart node) {
        return switch (node.text("format")) {
            case "text" -> new TextSource(node.text("path"));
            case "csv" -> csv(node);
            case "fixed" -> new FixedSource(node.text("path"), fixed(node));
            case "parquet" -> new ParquetSource(node.text("path"), node.type("columns"));
            case "entities" -> entities(node);
            case String other ->
                    throw node.wrong("reading from \"" + other + "\" is not supported");
        };
    }

    /** Columns without positions are found by the header of each file. */
    private static Source csv(DocumentPart node) {
        String path = node.text("path");
        var columns = node.parts("columns");
        var source =
                columns.stream().anyMatch(one -> one.has("index"))
                        ? CsvSource.byPosition(
                                path,
                                dialect(node),
                                columns.stream()
                                        .map(one -> new CsvColumn(one.whole("index"), one.field()))
                                        .toList())
                        : new CsvSource(
                                path,
                                dialect(node),
                                new CsvColumns.Named(
                                        columns.stream().map(DocumentPart::field).toList()),
                                false);
        return node.yes("unsplit") ? source.asWholeFiles() : source;
    }

    /**
     * Connects to the server that holds the entities: the plan reads them as of the moment at which
     * it is built.
     */
    private static Source entities(DocumentPart node) {
        var database = database(node.part("database"));
        var fields = node.type("columns").fields().toArray(Field[]::new);
        return node.has("gql")
                ? QuerySource.ofGql(database, node.text("gql"), fields)
                : QuerySource.ofKind(database, node.text("kind"), fields);
    }

    static Sink sink(DocumentPart node) {
        return switch (node.text("format")) {
            case "text" -> new TextSink(target(node));
            case "csv" -> new CsvSink(target(node), dialect(node));
            case "fixed" -> new FixedSink(target(node), fixed(node));
            case "parquet" -> new ParquetSink(target(node));
            case "entities" ->
                    EntitySink.ofKind(database(node.part("database")), node.text("kind"))
                            .unindexed(node.texts("unindexed").toArray(String[]::new));
            case String other -> throw node.wrong("writing \"" + other + "\" is not supported");
        };
    }

    private static Target target(DocumentPart node) {
        String path = node.text("path");
        String ifExists = node.has("if_exists") ? node.text("if_exists") : "fail";
        return new Target(
                path,
                node.yes("folder"),
                switch (ifExists) {
                    case "fail" -> IfExists.FAIL;
                    case "overwrite" -> IfExists.OVERWRITE;
                    case "append" -> IfExists.APPEND;
                    case String other ->
                            throw node.wrong(
                                    "\"if_exists\" is fail, overwrite or append, not \""
                                            + other
                                            + "\"");
                });
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

    private static EntityDatabase database(DocumentPart said) {
        return new EntityDatabase(
                said.text("host"),
                said.whole("port"),
                said.text("project"),
                said.text("database"),
                said.text("namespace"),
                said.text("token"),
                said.yes("tls"));
    }
}
