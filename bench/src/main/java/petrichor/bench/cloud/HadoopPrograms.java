package petrichor.bench.cloud;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/**
 * The three MapReduce programs of the thesis' first two experiments, as one writes them for Hadoop:
 * sort all numbers; of the smallest give each of several reducers a part, for its mean; the mean of
 * these.
 */
@SuppressWarnings("SameNameButDifferent") // mappers and reducers are written so
final class HadoopPrograms {
    /** With the name of an input file behind it: how many of its numbers are among the smallest. */
    static final String WANTED = "nephele.wanted.";

    /** Numbers are from 0 to this, exclusive, and evenly so. */
    static final long NUMBERS_END = 1_000_000_000;

    private HadoopPrograms() {}

    /** A line is a number. */
    public static final class SortMapper
            extends Mapper<LongWritable, Text, LongWritable, NullWritable> {
        private final LongWritable number = new LongWritable();

        @Override
        protected void map(LongWritable at, Text line, Context context)
                throws IOException, InterruptedException {
            number.set(Long.parseLong(line.toString()));
            context.write(number, NullWritable.get());
        }
    }

    /** The reducers' files, one behind the other, are sorted. */
    public static final class RangePartitioner extends Partitioner<LongWritable, NullWritable> {
        @Override
        public int getPartition(LongWritable number, NullWritable none, int reduces) {
            return (int) (number.get() * reduces / NUMBERS_END);
        }
    }

    /** Every number as often as it came. */
    public static final class SortReducer
            extends Reducer<LongWritable, NullWritable, LongWritable, NullWritable> {
        @Override
        protected void reduce(LongWritable number, Iterable<NullWritable> times, Context context)
                throws IOException, InterruptedException {
            for (NullWritable each : times) {
                context.write(number, each);
            }
        }
    }

    /** Of a sorted file the first numbers, spread evenly. */
    public static final class SmallestMapper
            extends Mapper<LongWritable, Text, IntWritable, LongWritable> {
        @Override
        public void run(Context context) throws IOException, InterruptedException {
            String file = ((FileSplit) context.getInputSplit()).getPath().getName();
            long wanted = context.getConfiguration().getLong(WANTED + file, 0);
            int reduces = context.getNumReduceTasks();
            IntWritable key = new IntWritable();
            LongWritable number = new LongWritable();
            for (long i = 0; i < wanted && context.nextKeyValue(); i++) {
                key.set((int) (i % reduces));
                number.set(Long.parseLong(context.getCurrentValue().toString()));
                context.write(key, number);
            }
        }
    }

    /** The sum and number of a part. */
    public static final class PartReducer
            extends Reducer<IntWritable, LongWritable, LongWritable, LongWritable> {
        @Override
        protected void reduce(IntWritable part, Iterable<LongWritable> numbers, Context context)
                throws IOException, InterruptedException {
            long sum = 0;
            long count = 0;
            for (LongWritable number : numbers) {
                sum += number.get();
                count++;
            }
            context.write(new LongWritable(sum), new LongWritable(count));
        }
    }

    /** All parts under one key. */
    public static final class GatherMapper extends Mapper<LongWritable, Text, NullWritable, Text> {
        @Override
        protected void map(LongWritable at, Text part, Context context)
                throws IOException, InterruptedException {
            context.write(NullWritable.get(), part);
        }
    }

    /** The mean of everything. */
    public static final class MeanReducer extends Reducer<NullWritable, Text, Text, NullWritable> {
        @Override
        protected void reduce(NullWritable all, Iterable<Text> parts, Context context)
                throws IOException, InterruptedException {
            long sum = 0;
            long count = 0;
            for (Text part : parts) {
                String text = part.toString();
                int tab = text.indexOf('\t');
                sum += Long.parseLong(text.substring(0, tab));
                count += Long.parseLong(text.substring(tab + 1));
            }
            context.write(new Text(Double.toString((double) sum / count)), NullWritable.get());
        }
    }
}
