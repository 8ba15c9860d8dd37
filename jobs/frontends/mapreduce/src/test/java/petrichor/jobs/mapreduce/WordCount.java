package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.util.StringTokenizer;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/** The introductory program for Hadoop. */
@SuppressWarnings("SameNameButDifferent") // usual in Hadoop programs
public final class WordCount {
    enum Seen {
        WORDS,
        EMPTY_LINES
    }

    private WordCount() {}

    static void describe(Job job) {
        job.setMapperClass(Words.class);
        job.setCombinerClass(Sum.class);
        job.setReducerClass(Sum.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(IntWritable.class);
    }

    /** Emits a line's words, each once. */
    public static final class Words extends Mapper<Object, Text, Text, IntWritable> {
        private static final IntWritable ONE = new IntWritable(1);
        private final Text word = new Text();

        @Override
        protected void map(Object at, Text line, Context context)
                throws IOException, InterruptedException {
            StringTokenizer words = new StringTokenizer(line.toString());
            if (!words.hasMoreTokens()) {
                context.getCounter(Seen.EMPTY_LINES).increment(1);
            }
            while (words.hasMoreTokens()) {
                word.set(words.nextToken());
                context.getCounter(Seen.WORDS).increment(1);
                context.getCounter("first letters", word.toString().substring(0, 1)).increment(1);
                context.write(word, ONE);
            }
        }
    }

    /** Sums up a word's numbers. */
    public static final class Sum extends Reducer<Text, IntWritable, Text, IntWritable> {
        private final IntWritable sum = new IntWritable();

        @Override
        protected void reduce(Text word, Iterable<IntWritable> numbers, Context context)
                throws IOException, InterruptedException {
            int total = 0;
            for (IntWritable number : numbers) {
                total += number.get();
            }
            sum.set(total);
            context.write(word, sum);
        }
    }
}
