package petrichor.jobs.mapreduce;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;

/** Programs as usual for Hadoop. */
@SuppressWarnings("SameNameButDifferent") // usual in Hadoop programs
final class Programs {
    private Programs() {}

    // ---- secondary sort: each year's temperatures in descending order

    /** A year and a temperature; sorted by both, the temperature descending. */
    public static final class Reading implements WritableComparable<Reading> {
        private int year;
        private int degrees;

        static Reading of(int year, int degrees) {
            Reading reading = new Reading();
            reading.year = year;
            reading.degrees = degrees;
            return reading;
        }

        int year() {
            return year;
        }

        int degrees() {
            return degrees;
        }

        @Override
        public void write(DataOutput out) throws IOException {
            out.writeInt(year);
            out.writeInt(degrees);
        }

        @Override
        public void readFields(DataInput in) throws IOException {
            year = in.readInt();
            degrees = in.readInt();
        }

        @Override
        public int compareTo(Reading other) {
            int years = Integer.compare(year, other.year);
            return years != 0 ? years : Integer.compare(other.degrees, degrees);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Reading reading && compareTo(reading) == 0;
        }

        @Override
        public int hashCode() {
            return 31 * year + degrees;
        }

        @Override
        public String toString() {
            return Integer.toString(year);
        }
    }

    /** Groups the readings of a year. */
    public static final class ByYear extends WritableComparator {
        public ByYear() {
            super(Reading.class, true);
        }

        @Override
        @SuppressWarnings("rawtypes") // as Hadoop declares it
        public int compare(WritableComparable left, WritableComparable right) {
            return Integer.compare(((Reading) left).year, ((Reading) right).year);
        }
    }

    /** Sends all readings of a year to the same reduce. */
    public static final class YearPartitioner extends Partitioner<Reading, IntWritable> {
        @Override
        public int getPartition(Reading key, IntWritable value, int reduces) {
            return key.year % reduces;
        }
    }

    public static final class ReadingMapper
            extends Mapper<LongWritable, Text, Reading, IntWritable> {
        private final Reading reading = new Reading();
        private final IntWritable degrees = new IntWritable();

        @Override
        protected void map(LongWritable at, Text line, Context context)
                throws IOException, InterruptedException {
            int space = line.toString().indexOf(' ');
            reading.year = Integer.parseInt(line.toString().substring(0, space));
            reading.degrees = Integer.parseInt(line.toString().substring(space + 1));
            degrees.set(reading.degrees);
            context.write(reading, degrees);
        }
    }

    /** Emits the year with its temperatures in order of arrival. */
    public static final class ReadingReducer extends Reducer<Reading, IntWritable, Reading, Text> {
        @Override
        protected void reduce(Reading year, Iterable<IntWritable> degrees, Context context)
                throws IOException, InterruptedException {
            StringBuilder all = new StringBuilder();
            for (IntWritable each : degrees) {
                all.append(each.get()).append(',').append(year.degrees).append(' ');
            }
            context.write(year, new Text(all.toString()));
        }
    }

    static void secondarySort(Job job) {
        job.setMapperClass(ReadingMapper.class);
        job.setReducerClass(ReadingReducer.class);
        job.setPartitionerClass(YearPartitioner.class);
        job.setGroupingComparatorClass(ByYear.class);
        job.setMapOutputKeyClass(Reading.class);
        job.setMapOutputValueClass(IntWritable.class);
        job.setOutputKeyClass(Reading.class);
        job.setOutputValueClass(Text.class);
        job.setNumReduceTasks(3);
    }

    // ---- sorting numbers

    /** Each line is a number. */
    public static final class NumberMapper
            extends Mapper<LongWritable, Text, LongWritable, NullWritable> {
        private final LongWritable number = new LongWritable();

        @Override
        protected void map(LongWritable at, Text line, Context context)
                throws IOException, InterruptedException {
            number.set(Long.parseLong(line.toString().trim()));
            context.write(number, NullWritable.get());
        }
    }

    /** Emits every number as often as it occurred. */
    public static final class EachReducer
            extends Reducer<LongWritable, NullWritable, LongWritable, NullWritable> {
        @Override
        protected void reduce(LongWritable number, Iterable<NullWritable> times, Context context)
                throws IOException, InterruptedException {
            for (NullWritable each : times) {
                context.write(number, each);
            }
        }
    }

    /** Range partitioning: smaller numbers go to earlier reduces; numbers are below 1000. */
    public static final class RangePartitioner extends Partitioner<LongWritable, NullWritable> {
        @Override
        public int getPartition(LongWritable key, NullWritable value, int reduces) {
            return Math.clamp(key.get() * reduces / 1000, 0, reduces - 1);
        }
    }

    static void sorted(Job job) {
        job.setMapperClass(NumberMapper.class);
        job.setReducerClass(EachReducer.class);
        job.setPartitionerClass(RangePartitioner.class);
        job.setOutputKeyClass(LongWritable.class);
        job.setOutputValueClass(NullWritable.class);
        job.setNumReduceTasks(4);
    }

    // ---- a mapper that overrides everything

    /** Overrides run, setup and cleanup. */
    public static final class WilfulMapper extends Mapper<LongWritable, Text, Text, Text> {
        private String greeting = "";
        private long last = -1;

        @Override
        protected void setup(Context context) {
            greeting = context.getConfiguration().get("greeting", "");
            context.setStatus("started");
        }

        @Override
        public void run(Context context) throws IOException, InterruptedException {
            setup(context);
            // Every second record only, and not the last ones.
            for (int i = 0; i < 10 && context.nextKeyValue(); i++) {
                last = context.getCurrentKey().get();
                if (i % 2 == 0) {
                    context.write(
                            new Text(
                                    greeting
                                            + " "
                                            + context.getTaskAttemptID().getTaskID().getId()),
                            context.getCurrentValue());
                }
                context.progress();
            }
            cleanup(context);
        }

        @Override
        protected void cleanup(Context context) throws IOException, InterruptedException {
            context.write(new Text("last"), new Text(Long.toString(last)));
            context.getCounter("wilful", "mappers").increment(1);
        }
    }

    /** Fails at a line, and names it. */
    public static final class FailingMapper extends Mapper<LongWritable, Text, Text, Text> {
        @Override
        protected void map(LongWritable at, Text line, Context context)
                throws IOException, InterruptedException {
            if (line.toString().startsWith("bad")) {
                throw new IllegalStateException("cannot read " + line);
            }
            context.write(line, line);
        }
    }

    /** Does not end by itself. */
    public static final class EndlessMapper extends Mapper<LongWritable, Text, Text, Text> {
        @Override
        protected void map(LongWritable at, Text line, Context context) {
            while (!Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    /** Fails for one of its keys. */
    public static final class FailingReducer
            extends Reducer<LongWritable, NullWritable, LongWritable, NullWritable> {
        @Override
        protected void reduce(LongWritable number, Iterable<NullWritable> times, Context context)
                throws IOException, InterruptedException {
            if (number.get() == 999) {
                throw new IllegalStateException("cannot take " + number);
            }
            context.write(number, NullWritable.get());
        }
    }

    /** Emits the number of values of each key, and the number of keys. */
    public static final class CountingReducer extends Reducer<Text, Text, Text, LongWritable> {
        private long keys;

        @Override
        protected void reduce(Text key, Iterable<Text> values, Context context)
                throws IOException, InterruptedException {
            long count = 0;
            for (Text value : values) {
                count += value.getLength() > 0 ? 1 : 0;
            }
            keys++;
            context.write(key, new LongWritable(count));
        }

        @Override
        protected void cleanup(Context context) throws IOException, InterruptedException {
            context.write(new Text("keys"), new LongWritable(keys));
        }
    }

    /** Emits everything under one key, with values of 100 bytes. */
    public static final class OneKeyMapper extends Mapper<LongWritable, Text, Text, Text> {
        private static final Text KEY = new Text("all");
        private static final Text VALUE = new Text("v".repeat(100));

        @Override
        protected void map(LongWritable at, Text line, Context context)
                throws IOException, InterruptedException {
            int times = Integer.parseInt(line.toString());
            for (int i = 0; i < times; i++) {
                context.write(KEY, VALUE);
            }
        }
    }
}
