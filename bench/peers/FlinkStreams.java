import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.operators.Order;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.InputSelection;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
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

    private static final int RECORD_BYTES = 100;
    private static final int SMALLEST_PARTS = 5;
    private static final String DAY = "1995-03-15";
    private static final int HIGHEST = 10;

    private static final TypeInformation<Tuple2<String, Long>> COUNT = Types.TUPLE(Types.STRING, Types.LONG);
    private static final TypeInformation<Tuple2<String, String>> RECORD = Types.TUPLE(Types.STRING, Types.STRING);
    private static final TypeInformation<double[]> NUMBERS =
            PrimitiveArrayTypeInfo.DOUBLE_PRIMITIVE_ARRAY_TYPE_INFO;

    /** Key, customer or date, and the rest of an order. */
    private static final TypeInformation<Tuple4<Long, Long, String, Integer>> ORDER =
            Types.TUPLE(Types.LONG, Types.LONG, Types.STRING, Types.INT);

    private static final TypeInformation<Tuple2<Long, Double>> ITEM = Types.TUPLE(Types.LONG, Types.DOUBLE);

    /** Order, date, priority, revenue. */
    private static final TypeInformation<Tuple4<Long, String, Integer, Double>> REVENUE =
            Types.TUPLE(Types.LONG, Types.STRING, Types.INT, Types.DOUBLE);

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
            case "smallest" -> smallest(flink, input).sinkTo(output.build()).setParallelism(1);
            // Several subtasks would deal the rows out to several files.
            case "q3" -> q3(flink, input).sinkTo(output.build()).setParallelism(1);
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

    /** Each subtask keeps its k smallest numbers; one takes the k smallest of all. */
    private static DataStream<String> smallest(StreamExecutionEnvironment flink, Path input) throws Exception {
        int count = Math.toIntExact(Files.size(input) / RECORD_BYTES / SMALLEST_PARTS);
        return lines(flink, input)
                .transform("smallest here", NUMBERS, new SmallestHere(count))
                .transform("smallest", Types.DOUBLE, new Smallest(count))
                .setParallelism(1)
                .map(average -> Double.toString(average))
                .setParallelism(1);
    }

    /**
     * Customers of the segment are broadcast to where orders are read; the orders that are left, and items, go by
     * order to where a hash table joins and adds them up.
     */
    private static DataStream<String> q3(StreamExecutionEnvironment flink, Path folder) {
        DataStream<Long> customers =
                lines(flink, folder.resolve("customer.tbl"))
                        .filter(line -> field(line, 6).equals("BUILDING"))
                        .map(line -> Long.valueOf(field(line, 0)))
                        .returns(Types.LONG);
        DataStream<Tuple4<Long, Long, String, Integer>> orders =
                lines(flink, folder.resolve("orders.tbl"))
                        .filter(line -> field(line, 4).compareTo(DAY) < 0)
                        .map(
                                line -> {
                                    String[] fields = line.split("\\|", -1);
                                    return Tuple4.of(
                                            Long.valueOf(fields[0]),
                                            Long.valueOf(fields[1]),
                                            fields[4],
                                            Integer.valueOf(fields[7]));
                                })
                        .returns(ORDER);
        DataStream<Tuple2<Long, Double>> items =
                lines(flink, folder.resolve("lineitem.tbl"))
                        .filter(line -> field(line, 10).compareTo(DAY) > 0)
                        .map(
                                line ->
                                        Tuple2.of(
                                                Long.valueOf(field(line, 0)),
                                                Double.parseDouble(field(line, 5))
                                                        * (1 - Double.parseDouble(field(line, 6)))))
                        .returns(ITEM);
        return customers
                .broadcast()
                .connect(orders)
                .transform("orders of customers", ORDER, new OfCustomers())
                .partitionCustom((key, parts) -> Long.hashCode(key) % parts, order -> order.f0)
                .connect(items.partitionCustom((key, parts) -> Long.hashCode(key) % parts, item -> item.f0))
                .transform("revenues", REVENUE, new Revenues())
                .transform("highest", REVENUE, new Highest())
                .setParallelism(1)
                .map(each -> each.f0 + "|" + each.f1 + "|" + each.f2 + "|" + each.f3)
                .setParallelism(1);
    }

    /** The n-th of the fields that a bar ends. */
    private static String field(String line, int number) {
        int from = 0;
        for (int i = 0; i < number; i++) {
            from = line.indexOf('|', from) + 1;
        }
        return line.substring(from, line.indexOf('|', from));
    }

    private static double number(String line) {
        double number = 0;
        for (int i = 0; i < KEY_LENGTH; i++) {
            number = number * CHARACTERS + (line.charAt(i) - FIRST);
        }
        return number;
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

    /** The k smallest of many numbers: whenever there are twice as many, the larger half goes. */
    private static final class SmallestNumbers {
        private final int count;
        private double[] numbers = new double[1024];
        private int size;

        SmallestNumbers(int count) {
            this.count = count;
        }

        void add(double number) {
            if (size == numbers.length) {
                if (size >= 2L * count) {
                    Arrays.sort(numbers);
                    size = count;
                } else {
                    numbers = Arrays.copyOf(numbers, (int) Math.min(2L * count, 2L * size));
                }
            }
            numbers[size++] = number;
        }

        double[] smallest() {
            Arrays.sort(numbers, 0, size);
            return Arrays.copyOf(numbers, Math.min(count, size));
        }
    }

    private static final class SmallestHere extends AbstractStreamOperator<double[]>
            implements OneInputStreamOperator<String, double[]>, BoundedOneInput {
        private static final int NUMBERS_SENT = 4096;

        private final int count;
        private transient SmallestNumbers numbers;

        SmallestHere(int count) {
            this.count = count;
        }

        @Override
        public void open() {
            numbers = new SmallestNumbers(count);
        }

        @Override
        public void processElement(StreamRecord<String> element) {
            numbers.add(number(element.getValue()));
        }

        @Override
        public void endInput() {
            double[] all = numbers.smallest();
            for (int at = 0; at < all.length; at += NUMBERS_SENT) {
                double[] some = Arrays.copyOfRange(all, at, Math.min(all.length, at + NUMBERS_SENT));
                output.collect(new StreamRecord<>(some));
            }
        }
    }

    private static final class Smallest extends AbstractStreamOperator<Double>
            implements OneInputStreamOperator<double[], Double>, BoundedOneInput {
        private final int count;
        private transient SmallestNumbers numbers;

        Smallest(int count) {
            this.count = count;
        }

        @Override
        public void open() {
            numbers = new SmallestNumbers(count);
        }

        @Override
        public void processElement(StreamRecord<double[]> element) {
            for (double number : element.getValue()) {
                numbers.add(number);
            }
        }

        @Override
        public void endInput() {
            output.collect(new StreamRecord<>(Arrays.stream(numbers.smallest()).average().orElseThrow()));
        }
    }

    /** The build side of a join is read to its end before the other side. */
    private abstract static class BuildFirst<A, B, C> extends AbstractStreamOperator<C>
            implements TwoInputStreamOperator<A, B, C>, InputSelectable, BoundedMultiInput {
        private boolean built;

        @Override
        public InputSelection nextSelection() {
            return built ? InputSelection.SECOND : InputSelection.FIRST;
        }

        @Override
        public void endInput(int input) {
            built |= input == 1;
            if (input == 2) {
                end();
            }
        }

        void end() {}
    }

    private static final class OfCustomers
            extends BuildFirst<Long, Tuple4<Long, Long, String, Integer>, Tuple4<Long, Long, String, Integer>> {
        private transient Set<Long> customers;

        @Override
        public void open() {
            customers = new HashSet<>();
        }

        @Override
        public void processElement1(StreamRecord<Long> customer) {
            customers.add(customer.getValue());
        }

        @Override
        public void processElement2(StreamRecord<Tuple4<Long, Long, String, Integer>> order) {
            if (customers.contains(order.getValue().f1)) {
                output.collect(order);
            }
        }
    }

    /** An order, and what its items come to. */
    private static final class Revenue {
        private final String date;
        private final int priority;
        private double sum;
        private boolean hasItems;

        Revenue(String date, int priority) {
            this.date = date;
            this.priority = priority;
        }
    }

    private static final class Revenues
            extends BuildFirst<
                    Tuple4<Long, Long, String, Integer>, Tuple2<Long, Double>, Tuple4<Long, String, Integer, Double>> {
        private transient Map<Long, Revenue> revenues;

        @Override
        public void open() {
            revenues = new HashMap<>();
        }

        @Override
        public void processElement1(StreamRecord<Tuple4<Long, Long, String, Integer>> order) {
            revenues.put(order.getValue().f0, new Revenue(order.getValue().f2, order.getValue().f3));
        }

        @Override
        public void processElement2(StreamRecord<Tuple2<Long, Double>> item) {
            Revenue revenue = revenues.get(item.getValue().f0);
            if (revenue != null) {
                revenue.sum += item.getValue().f1;
                revenue.hasItems = true;
            }
        }

        @Override
        void end() {
            highest(
                            revenues.entrySet().stream()
                                    .filter(each -> each.getValue().hasItems)
                                    .map(
                                            each ->
                                                    Tuple4.of(
                                                            each.getKey(),
                                                            each.getValue().date,
                                                            each.getValue().priority,
                                                            each.getValue().sum)))
                    .forEach(each -> output.collect(new StreamRecord<>(each)));
        }
    }

    private static final class Highest extends AbstractStreamOperator<Tuple4<Long, String, Integer, Double>>
            implements OneInputStreamOperator<
                            Tuple4<Long, String, Integer, Double>, Tuple4<Long, String, Integer, Double>>,
                    BoundedOneInput {
        private transient Set<Tuple4<Long, String, Integer, Double>> all;

        @Override
        public void open() {
            all = new HashSet<>();
        }

        @Override
        public void processElement(StreamRecord<Tuple4<Long, String, Integer, Double>> element) {
            all.add(element.getValue().copy());
        }

        @Override
        public void endInput() {
            highest(all.stream()).forEach(each -> output.collect(new StreamRecord<>(each)));
        }
    }

    private static List<Tuple4<Long, String, Integer, Double>> highest(
            Stream<Tuple4<Long, String, Integer, Double>> revenues) {
        return revenues.sorted(
                        Comparator.comparing((Tuple4<Long, String, Integer, Double> each) -> each.f3)
                                .reversed()
                                .thenComparing(each -> each.f1))
                .limit(HIGHEST)
                .toList();
    }
}
