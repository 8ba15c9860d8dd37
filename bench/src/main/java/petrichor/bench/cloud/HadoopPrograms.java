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
 * The three MapReduce programs of the thesis' first two experiments, in usual Hadoop style: sort
 * all numbers; distribute the smallest over several reducers for partial means; compute the mean of
 * these.
 */
@SuppressWarnings("SameNameButDifferent") // usual in Hadoop programs
final class HadoopPrograms {
    /** Followed by the name of an input file: how many of its numbers are among the smallest. */
    static final String WANTED = "nephele.wanted.";

    /** Numbers are uniformly distributed from 0 to this, exclusive. */
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

    /** The concatenation of the reducers' files is sorted. */
    public static final class RangePartitioner extends Partitioner<LongWritable, NullWritable> {
        @Override
        public int getPartition(LongWritable number, NullWritable none, int reduces) {
            return (int) (number.get() * reduces / NUMBERS_END);
        }
    }

    /** Emits every number as often as it occurred. */
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

    /** Emits the first numbers of a sorted file, evenly distributed. */
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

    /** The sum and count of a part. */
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

    /** Sends all parts to one key. */
    public static final class GatherMapper extends Mapper<LongWritable, Text, NullWritable, Text> {
        @Override
        protected void map(LongWritable at, Text part, Context context)
                throws IOException, InterruptedException {
            context.write(NullWritable.get(), part);
        }
    }

    /** The overall mean. */
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
