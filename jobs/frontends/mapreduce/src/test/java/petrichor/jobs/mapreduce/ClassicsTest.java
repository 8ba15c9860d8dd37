package petrichor.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.chain.ChainMapper;
import org.apache.hadoop.mapreduce.lib.chain.ChainReducer;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.input.MultipleInputs;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;
import org.apache.hadoop.mapreduce.lib.output.LazyOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.MultipleOutputs;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.lib.partition.InputSampler;
import org.apache.hadoop.mapreduce.lib.partition.TotalOrderPartitioner;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.workers.Workers;
import petrichor.jobs.local.Jobs;

/** Hadoop's library, compared with Hadoop's own runner. */
class ClassicsTest {
    private static final long SEED = Long.getLong("seed", 42);

    @TempDir Path folder;

    /** Maps before a reduce may write files of their own, too. */
    @Test
    void mapsAndReducesHaveSeveralOutputs() throws Exception {
        var files =
                new BothRunners(folder)
                        .input("lines", "1\n2\nthree\n4\n5\nsix\n")
                        .same(
                                Jobs.local().with(Workers.of(2, List.of("-Xmx64m"))),
                                job -> {
                                    job.setMapperClass(Classics.SortingOut.class);
                                    job.setReducerClass(Classics.PerKey.class);
                                    job.setNumReduceTasks(2);
                                    job.setOutputKeyClass(Text.class);
                                    job.setOutputValueClass(IntWritable.class);
                                    LazyOutputFormat.setOutputFormatClass(
                                            job, TextOutputFormat.class);
                                    MultipleOutputs.addNamedOutput(
                                            job,
                                            "refused",
                                            TextOutputFormat.class,
                                            Text.class,
                                            IntWritable.class);
                                    MultipleOutputs.setCountersEnabled(job, true);
                                });
        assertThat(files).containsEntry("refused-m-00000", "three\t5\nsix\t3\n");
        assertThat(String.join(" ", files.keySet())).contains("by-key/even-r-0000");
    }

    @Test
    void severalInputsHaveMappersOfTheirOwn() throws Exception {
        BothRunners both =
                new BothRunners(folder).input("old", "a,1\nb,2\n").input("new", "a\t3\nc\t4\n");
        var files =
                both.same(
                        job -> {
                            for (String each : List.of("old", "new")) {
                                MultipleInputs.addInputPath(
                                        job,
                                        BothRunners.hadoop(folder.resolve(each)),
                                        each.equals("old")
                                                ? TextInputFormat.class
                                                : KeyValueTextInputFormat.class,
                                        each.equals("old")
                                                ? Classics.Commas.class
                                                : Classics.Columns.class);
                            }
                            sums(job);
                        });
        assertThat(files).containsEntry("part-r-00000", "a\t4\nb\t2\nc\t4\n");
    }

    private static void sums(Job job) {
        job.setReducerClass(IntSumReducer.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(IntWritable.class);
    }

    @Test
    void mappersAndReducersAreChained() throws Exception {
        var files =
                new BothRunners(folder)
                        .input("lines", "a,1\nb,2\na,3\n".repeat(1_000))
                        .same(
                                job -> {
                                    job.setOutputKeyClass(Text.class);
                                    job.setOutputValueClass(IntWritable.class);
                                    ChainMapper.addMapper(
                                            job,
                                            Classics.Commas.class,
                                            LongWritable.class,
                                            Text.class,
                                            Text.class,
                                            IntWritable.class,
                                            new Configuration(false));
                                    chain(job, "m-", true);
                                    ChainReducer.setReducer(
                                            job,
                                            IntSumReducer.class,
                                            Text.class,
                                            IntWritable.class,
                                            Text.class,
                                            IntWritable.class,
                                            new Configuration(false));
                                    chain(job, "r-", false);
                                });
        assertThat(files).containsEntry("part-r-00000", "r-M-A\t4000\nr-M-B\t2000\n");
    }

    private static void chain(Job job, String prefix, boolean maps) throws java.io.IOException {
        Configuration own = new Configuration(false);
        own.set("prefix", prefix);
        if (maps) {
            ChainMapper.addMapper(
                    job,
                    Classics.Upper.class,
                    Text.class,
                    IntWritable.class,
                    Text.class,
                    IntWritable.class,
                    own);
        } else {
            ChainReducer.addMapper(
                    job,
                    Classics.Upper.class,
                    Text.class,
                    IntWritable.class,
                    Text.class,
                    IntWritable.class,
                    own);
        }
    }

    @Test
    void aMapperMayRunInThreads() throws Exception {
        var files =
                new BothRunners(folder)
                        .input("lines", "a,1\nb,2\na,3\n".repeat(1_000))
                        .same(
                                job -> {
                                    job.setMapperClass(MultithreadedMapper.class);
                                    MultithreadedMapper.setMapperClass(job, Classics.Commas.class);
                                    MultithreadedMapper.setNumberOfThreads(job, 3);
                                    sums(job);
                                });
        assertThat(files).containsEntry("part-r-00000", "a\t4000\nb\t2000\n");
    }

    @Test
    void aSampleOfTheInputPartitionsKeys() throws Exception {
        Random random = new Random(SEED);
        String lines =
                IntStream.range(0, 3_000)
                        .mapToObj(_ -> "k%03d\t".formatted(random.nextInt(1_000)))
                        .collect(Collectors.joining("\n", "", "\n"));
        var files =
                new BothRunners(folder)
                        .input("keys", lines)
                        .same(
                                job -> {
                                    job.setInputFormatClass(KeyValueTextInputFormat.class);
                                    job.setOutputKeyClass(Text.class);
                                    job.setOutputValueClass(Text.class);
                                    job.setNumReduceTasks(3);
                                    job.setPartitionerClass(TotalOrderPartitioner.class);
                                    TotalOrderPartitioner.setPartitionFile(
                                            job.getConfiguration(),
                                            BothRunners.hadoop(folder.resolve("cuts")));
                                    sample(job);
                                });
        assertThat(files.get("part-r-00000")).startsWith("k000");
        assertThat(
                        files.get("part-r-00000")
                                + files.get("part-r-00001")
                                + files.get("part-r-00002"))
                .isEqualTo(lines.lines().sorted().collect(Collectors.joining("\n", "", "\n")));
        assertThat(files.get("part-r-00001")).hasSizeGreaterThan(3_000);
    }

    private static void sample(Job job) throws java.io.IOException {
        try {
            InputSampler.writePartitionFile(job, new InputSampler.SplitSampler<Text, Text>(500));
        } catch (ClassNotFoundException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aSplitHasAFixedNumberOfLines() throws Exception {
        var files =
                new BothRunners(folder)
                        .input("lines", "a\nb\nc\nd\ne\n")
                        .same(
                                job -> {
                                    job.setMapperClass(Mapper.class);
                                    job.setInputFormatClass(NLineInputFormat.class);
                                    NLineInputFormat.setNumLinesPerSplit(job, 2);
                                    job.setOutputKeyClass(LongWritable.class);
                                    job.setOutputValueClass(Text.class);
                                    job.setNumReduceTasks(0);
                                });
        assertThat(files).containsKeys("part-m-00000", "part-m-00001", "part-m-00002");
    }

    /** Even for a key with more values than fit in memory. */
    @Test
    void valuesCanBeReadAgain() throws Exception {
        String lines =
                IntStream.range(0, 20_000)
                        .mapToObj(i -> (i % 7 == 0 ? "few," : "many,") + i)
                        .collect(Collectors.joining("\n"));
        var files =
                new BothRunners(folder)
                        .input("lines", lines)
                        .same(
                                job -> {
                                    job.setMapperClass(Classics.Commas.class);
                                    job.setReducerClass(Classics.Twice.class);
                                    job.setNumReduceTasks(2);
                                    job.setMapOutputValueClass(IntWritable.class);
                                    job.setOutputKeyClass(Text.class);
                                    job.setOutputValueClass(Text.class);
                                    job.getConfiguration()
                                            .setInt(
                                                    "mapreduce.reduce.markreset.buffer.size",
                                                    16 << 10);
                                });
        assertThat(files.get("part-r-00000") + files.get("part-r-00001"))
                .contains("few\t28578571 28578571\n");
        // Concurrent reduces must not share files, and must delete them.
        assertThat(folder.resolve("hadoop/mapred/local/output")).doesNotExist();
        assertThat(folder.resolve("hadoop/mapred/local").toFile().list())
                .noneMatch(name -> name.startsWith("petrichor"));
    }
}
