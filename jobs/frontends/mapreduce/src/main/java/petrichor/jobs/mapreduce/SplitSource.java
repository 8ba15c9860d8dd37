package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.SourceEstimate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;

/**
 * The splits of a job's input format: each record is a split, not its content. The following map
 * reads the split with the format's own reader, as often and as far as the mapper wants to.
 */
record SplitSource(HadoopJob job, boolean callsReduces) implements Source {
    private static final long serialVersionUID = 1L;

    /** Number of a pseudo-split that makes all reduces run, regardless of the maps' output. */
    static final int CALL = -1;

    static final int NUMBER = 0;
    static final int KIND = 1;
    static final int BYTES = 2;
    static final int SHOWN = 3;

    static final RecordType TYPE =
            RecordType.of(
                    Field.int32("number"),
                    Field.text("kind"),
                    Field.bytes("split"),
                    Field.text("shown"));

    /** A split, serialized by its class. */
    record Part(int number, String kind, byte[] form, String shown, long bytes) implements Split {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            return shown;
        }
    }

    @Override
    public String name() {
        String paths = job.open().get(FileInputFormat.INPUT_DIR);
        return paths == null ? job.name() + " splits" : paths;
    }

    @Override
    public RecordType type() {
        return TYPE;
    }

    @Override
    public long inputBytes() {
        InputSample sample = InputSample.of(job);
        return sample == null ? SourceEstimate.NOT_KNOWN : sample.bytes();
    }

    /** The largest split first, as Hadoop numbers its maps. */
    @Override
    public List<Split> splits(int wanted) throws IOException {
        JobConf configuration = job.open();
        Program program = new Program(configuration);
        JobContext context = new JobContextImpl(configuration, job.id());
        List<Sized> found = new ArrayList<>();
        try {
            for (InputSplit split : program.splits(context)) {
                found.add(new Sized(split, split.getLength()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while computing input splits");
        }
        found.sort(Comparator.comparingLong(Sized::bytes).reversed());
        List<Split> parts = new ArrayList<>();
        if (callsReduces) {
            parts.add(new Part(CALL, "", new byte[0], "all reduces", 0));
        }
        for (int number = 0; number < found.size(); number++) {
            InputSplit split = found.get(number).split();
            parts.add(
                    new Part(
                            number,
                            split.getClass().getName(),
                            program.serialized(split),
                            split.toString(),
                            Math.max(0, found.get(number).bytes())));
        }
        return parts;
    }

    private record Sized(InputSplit split, long bytes) {}

    @Override
    public SplitReader open(Split split) {
        Part part = (Part) split;
        return new SplitReader() {
            @Override
            public boolean read(Out out) {
                out.record()
                        .int32(NUMBER, part.number())
                        .text(KIND, part.kind())
                        .bytes(BYTES, part.form())
                        .text(SHOWN, part.shown())
                        .emit();
                return false;
            }

            @Override
            public String position() {
                return part.number() == CALL ? "its start" : "map " + part.number();
            }

            @Override
            public void close() {
                // Nothing is open here: the map opens the split.
            }
        };
    }
}
