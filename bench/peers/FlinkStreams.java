import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.operators.Order;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Measured jobs in Flink's DataStream, in batches, written by hand for what they are about; all of Flink in this
 * process: FlinkStreams JOB INPUT OUTPUT SCRATCH, two threads.
 */
public final class FlinkStreams {
    private static final int PARALLELISM = 2;
    private static final int KEY_LENGTH = 10;

    /** What keys are made of, and by their first character they are evenly distributed. */
    private static final char FIRST = ' ';

    private static final int CHARACTERS = 95;

    private static final TypeInformation<Tuple2<String, Long>> COUNT = Types.TUPLE(Types.STRING, Types.LONG);
    private static final TypeInformation<Tuple2<String, String>> RECORD = Types.TUPLE(Types.STRING, Types.STRING);

    private FlinkStreams() {}

    public static void main(String[] arguments) throws Exception {
        StreamExecutionEnvironment flink = environment(arguments[3]);
        Path input = Path.of(arguments[1]);
        var output =
                FileSink.forRowFormat(
                        new org.apache.flink.core.fs.Path(Path.of(arguments[2]).toUri()),
                        new SimpleStringEncoder<String>());
        switch (arguments[0]) {
            case "words" -> words(flink, input).sinkTo(output.build());
            case "sort", "empty" -> sort(flink, input).sinkTo(output.withBucketAssigner(new Parts()).build());
            default -> throw new IllegalArgumentException("no job " + arguments[0]);
        }
        flink.execute();
    }

    private static StreamExecutionEnvironment environment(String scratch) {
        Configuration all = new Configuration();
        all.setString("parallelism.default", Integer.toString(PARALLELISM));
        all.setString("pipeline.object-reuse", "true");
        all.setString("taskmanager.memory.managed.size", "1536m");
        all.setString("taskmanager.memory.network.min", "256m");
        all.setString("taskmanager.memory.network.max", "256m");
        all.setString("io.tmp.dirs", scratch);
        all.setString("rest.port", "0");
        all.setString("rest.bind-address", "127.0.0.1");
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment(all);
        flink.setRuntimeMode(RuntimeExecutionMode.BATCH);
        return flink;
    }

    private static DataStream<String> lines(StreamExecutionEnvironment flink, Path input) {
        FileSource<String> file =
                FileSource.forRecordStreamFormat(
                                new TextLineInputFormat(), new org.apache.flink.core.fs.Path(input.toUri()))
                        .build();
        return flink.fromSource(file, WatermarkStrategy.noWatermarks(), "lines");
    }

    /** Words are counted where they are read, so that few of them travel. */
    private static DataStream<String> words(StreamExecutionEnvironment flink, Path input) {
        return lines(flink, input)
                .transform("count here", COUNT, new CountHere())
                .keyBy(count -> count.f0)
                .sum(1)
                .map(count -> count.f0 + "\t" + count.f1);
    }

    /** The key comes second, because the first field is none by which this Flink sorts partitions. */
    private static DataStream<String> sort(StreamExecutionEnvironment flink, Path input) {
        return lines(flink, input)
                .map(line -> Tuple2.of(line.substring(KEY_LENGTH), line.substring(0, KEY_LENGTH)))
                .returns(RECORD)
                .partitionCustom((key, parts) -> part(key, parts), record -> record.f1)
                .fullWindowPartition()
                .sortPartition(1, Order.ASCENDING)
                .map(record -> record.f1.concat(record.f0));
    }

    private static int part(String key, int parts) {
        return (key.charAt(0) - FIRST) * parts / CHARACTERS;
    }

    /** Folders whose names are in the order of the keys in them. */
    private static final class Parts extends BasePathBucketAssigner<String> {
        @Override
        public String getBucketId(String record, Context context) {
            return Integer.toString(part(record, PARALLELISM));
        }
    }

    /** Splits lines at their blanks and counts words until there are too many, or until the end. */
    private static final class CountHere extends AbstractStreamOperator<Tuple2<String, Long>>
            implements OneInputStreamOperator<String, Tuple2<String, Long>>, BoundedOneInput {
        private static final int WORDS_MAX = 1_000_000;

        private transient Map<String, long[]> counts;

        @Override
        public void open() {
            counts = new HashMap<>();
        }

        @Override
        public void processElement(StreamRecord<String> element) {
            String line = element.getValue();
            for (int at = 0; at < line.length(); ) {
                int to = line.indexOf(' ', at);
                to = to < 0 ? line.length() : to;
                if (to > at) {
                    counts.computeIfAbsent(line.substring(at, to), word -> new long[1])[0]++;
                }
                at = to + 1;
            }
            if (counts.size() > WORDS_MAX) {
                endInput();
            }
        }

        @Override
        public void endInput() {
            StreamRecord<Tuple2<String, Long>> reused = new StreamRecord<>(null);
            counts.forEach((word, count) -> output.collect(reused.replace(Tuple2.of(word, count[0]))));
            counts.clear();
        }
    }
}
