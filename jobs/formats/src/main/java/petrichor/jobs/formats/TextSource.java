package petrichor.jobs.formats;

import java.io.IOException;
import java.util.List;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.SourceEstimate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;

/**
 * The lines of text files, compressed or not: records of one field, {@code line}. UTF-8, not
 * checked.
 *
 * @param path a file, a folder of files, or a pattern such as {@code logs/*.gz}
 */
public record TextSource(String path) implements Source {
    private static final RecordType LINE = RecordType.of(Field.text("line"));

    @Override
    public String name() {
        return path;
    }

    @Override
    public RecordType type() {
        return LINE;
    }

    @Override
    public SourceEstimate estimate() {
        return Sample.estimate(this, path, part -> part);
    }

    @Override
    public long inputBytes() {
        return Sample.bytes(path);
    }

    @Override
    public List<Split> splits(int wanted) throws IOException {
        return List.copyOf(FileSplit.cut(FileSplit.files(path), wanted, 1));
    }

    @Override
    public SplitReader open(Split split) throws IOException {
        return new LineReader((FileSplit) split, TextSource::line);
    }

    private static void line(byte[] bytes, int from, int to, Out out) {
        out.record().bytes(0, bytes, from, to - from).emit();
    }
}
