package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.StringTokenizer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Partitioner;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Programs for Hadoop's first API. */
final class OldPrograms {
    private OldPrograms() {}

    /** As in old textbooks. */
    public static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws IOException {
            JobConf job = new JobConf(Main.class);
            job.setJobName("old word count");
            wordCount(job);
            FileInputFormat.setInputPaths(job, new Path(arguments[0]));
            FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
            JobClient.runJob(job);
        }
    }

    static void wordCount(JobConf job) {
        job.setMapperClass(Words.class);
        job.setCombinerClass(Sum.class);
        job.setReducerClass(Sum.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(IntWritable.class);
    }

    /** Emits a line's words, each once; fails at a configured one. Several threads may map. */
    public static final class Words extends MapReduceBase
            implements Mapper<LongWritable, Text, Text, IntWritable> {
        private static final IntWritable ONE = new IntWritable(1);
        private String refused = "";

        @Override
        public void configure(JobConf job) {
            refused = job.get("refused", "");
        }

        @Override
        public void map(
                LongWritable at,
                Text line,
                OutputCollector<Text, IntWritable> output,
                Reporter reporter)
                throws IOException {
            StringTokenizer words = new StringTokenizer(line.toString());
            while (words.hasMoreTokens()) {
                Text word = new Text(words.nextToken());
                if (word.toString().equals(refused)) {
                    throw new IllegalStateException("no " + word);
                }
                reporter.incrCounter(WordCount.Seen.WORDS, 1);
                reporter.getCounter(
                                "files", ((FileSplit) reporter.getInputSplit()).getPath().getName())
                        .increment(1);
                output.collect(word, ONE);
            }
        }
    }

    /** Sums up a word's numbers. */
    public static final class Sum extends MapReduceBase
            implements Reducer<Text, IntWritable, Text, IntWritable> {
        @Override
        public void reduce(
                Text word,
                Iterator<IntWritable> numbers,
                OutputCollector<Text, IntWritable> output,
                Reporter reporter)
                throws IOException {
            int total = 0;
            while (numbers.hasNext()) {
                total += numbers.next().get();
            }
            output.collect(word, new IntWritable(total));
        }
    }

    /** As {@link Sum}; at its end it writes a side file to the folder of its task. */
    public static final class SideFile extends MapReduceBase
            implements Reducer<Text, IntWritable, Text, IntWritable> {
        private final Sum sum = new Sum();
        private JobConf job = new JobConf();

        @Override
        public void configure(JobConf ofTask) {
            job = ofTask;
        }

        @Override
        public void reduce(
                Text word,
                Iterator<IntWritable> numbers,
                OutputCollector<Text, IntWritable> output,
                Reporter reporter)
                throws IOException {
            sum.reduce(word, numbers, output, reporter);
        }

        @Override
        public void close() throws IOException {
            Path folder = FileOutputFormat.getWorkOutputPath(job);
            Path file = new Path(folder, "beside");
            try (OutputStream out = file.getFileSystem(job).create(file)) {
                boolean ofAttempt = folder.getName().startsWith("attempt_");
                out.write(
                        (ofAttempt ? "an attempt's" : "the job's")
                                .getBytes(StandardCharsets.US_ASCII));
            }
        }
    }

    /** With the map of the newer API's word count. */
    static void newerMap(JobConf job) {
        job.setUseNewMapper(true);
        job.unset("mapred.mapper.class");
        job.setClass(
                MRJobConfig.MAP_CLASS_ATTR,
                WordCount.Words.class,
                org.apache.hadoop.mapreduce.Mapper.class);
    }

    static void secondarySort(JobConf job) {
        job.setMapperClass(Readings.class);
        job.setReducerClass(Years.class);
        job.setPartitionerClass(YearPartitioner.class);
        job.setOutputValueGroupingComparator(Programs.ByYear.class);
        job.setMapOutputKeyClass(Programs.Reading.class);
        job.setMapOutputValueClass(IntWritable.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(Text.class);
        job.setNumReduceTasks(3);
    }

    /** Sends all readings of a year to the same reduce. */
    public static final class YearPartitioner
            implements Partitioner<Programs.Reading, IntWritable> {
        private int first;

        @Override
        public void configure(JobConf job) {
            first = job.getInt("first", 0);
        }

        @Override
        public int getPartition(Programs.Reading key, IntWritable value, int reduces) {
            return (key.year() - first) % reduces;
        }
    }

    public static final class Readings extends MapReduceBase
            implements Mapper<LongWritable, Text, Programs.Reading, IntWritable> {
        @Override
        public void map(
                LongWritable at,
                Text line,
                OutputCollector<Programs.Reading, IntWritable> output,
                Reporter reporter)
                throws IOException {
            int space = line.toString().indexOf(' ');
            int degrees = Integer.parseInt(line.toString().substring(space + 1));
            output.collect(
                    Programs.Reading.of(
                            Integer.parseInt(line.toString().substring(0, space)), degrees),
                    new IntWritable(degrees));
        }
    }

    /** Emits the year with its temperatures, and the current key; writes the rest at its end. */
    public static final class Years extends MapReduceBase
            implements Reducer<Programs.Reading, IntWritable, Text, Text> {
        @Override
        public void reduce(
                Programs.Reading year,
                Iterator<IntWritable> degrees,
                OutputCollector<Text, Text> output,
                Reporter reporter)
                throws IOException {
            StringBuilder all = new StringBuilder();
            // Not all of them: the rest of a group is skipped.
            for (int i = 0; i < 50 && degrees.hasNext(); i++) {
                all.append(degrees.next()).append(',').append(year.degrees()).append(' ');
            }
            output.collect(new Text(year.toString()), new Text(all.toString()));
        }
    }
}
