package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.util.Iterator;
import java.util.TreeMap;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.MarkableIterator;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.output.MultipleOutputs;
import org.jspecify.annotations.Nullable;

/** Programs that use Hadoop's library beyond mappers and reducers. */
@SuppressWarnings("SameNameButDifferent") // usual in Hadoop programs
final class Classics {
    private Classics() {}

    /** Writes lines that are not numbers to a file of their own, although the job has reduces. */
    public static final class SortingOut extends Mapper<LongWritable, Text, Text, IntWritable> {
        private @Nullable MultipleOutputs<Text, IntWritable> beside;

        @Override
        protected void setup(Context context) {
            beside = new MultipleOutputs<>(context);
        }

        @Override
        protected void map(LongWritable at, Text line, Context context)
                throws IOException, InterruptedException {
            try {
                int number = Integer.parseInt(line.toString());
                context.write(new Text(number % 2 == 0 ? "even" : "odd"), new IntWritable(number));
            } catch (NumberFormatException none) {
                java.util.Objects.requireNonNull(beside)
                        .write("refused", line, new IntWritable(line.getLength()));
            }
        }

        @Override
        protected void cleanup(Context context) throws IOException, InterruptedException {
            java.util.Objects.requireNonNull(beside).close();
        }
    }

    /** Writes each key's numbers to a file of its name. */
    public static final class PerKey extends Reducer<Text, IntWritable, Text, IntWritable> {
        private @Nullable MultipleOutputs<Text, IntWritable> files;

        @Override
        protected void setup(Context context) {
            files = new MultipleOutputs<>(context);
        }

        @Override
        protected void reduce(Text key, Iterable<IntWritable> numbers, Context context)
                throws IOException, InterruptedException {
            var sorted = new TreeMap<Integer, Integer>();
            numbers.forEach(number -> sorted.merge(number.get(), 1, Integer::sum));
            for (int number : sorted.keySet()) {
                java.util.Objects.requireNonNull(files)
                        .write(key, new IntWritable(number), "by-key/" + key);
            }
        }

        @Override
        protected void cleanup(Context context) throws IOException, InterruptedException {
            java.util.Objects.requireNonNull(files).close();
        }
    }

    /** "name,number", the format of the older of two sources. */
    public static final class Commas extends Mapper<LongWritable, Text, Text, IntWritable> {
        @Override
        protected void map(LongWritable at, Text line, Context context)
                throws IOException, InterruptedException {
            int comma = line.find(",");
            String text = line.toString();
            context.write(
                    new Text(text.substring(0, comma)),
                    new IntWritable(Integer.parseInt(text.substring(comma + 1))));
        }
    }

    /** Key and value, the format of the newer source. */
    public static final class Columns extends Mapper<Text, Text, Text, IntWritable> {
        @Override
        protected void map(Text name, Text number, Context context)
                throws IOException, InterruptedException {
            context.write(name, new IntWritable(Integer.parseInt(number.toString())));
        }
    }

    /** Converts to upper case: the middle of a chain. */
    public static final class Upper extends Mapper<Text, IntWritable, Text, IntWritable> {
        @Override
        protected void map(Text name, IntWritable number, Context context)
                throws IOException, InterruptedException {
            String prefix = context.getConfiguration().get("prefix", "");
            context.write(
                    new Text(prefix + name.toString().toUpperCase(java.util.Locale.ROOT)), number);
        }
    }

    /** Sums up a key's numbers each time they are read. */
    public static final class Twice extends Reducer<Text, IntWritable, Text, Text> {
        @Override
        protected void reduce(Text key, Iterable<IntWritable> numbers, Context context)
                throws IOException, InterruptedException {
            MarkableIterator<IntWritable> values = new MarkableIterator<>(numbers.iterator());
            values.mark();
            long sum = sum(values);
            values.reset();
            long again = sum(values);
            context.write(key, new Text(sum + " " + again));
        }

        private static long sum(Iterator<IntWritable> numbers) {
            long sum = 0;
            while (numbers.hasNext()) {
                sum += numbers.next().get();
            }
            return sum;
        }
    }
}
