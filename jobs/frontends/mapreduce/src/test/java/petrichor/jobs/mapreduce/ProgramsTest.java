package petrichor.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.testkit.ProgramJar;

/** Programs give the same results as with Hadoop's own runner, byte by byte. */
class ProgramsTest {
    private static final long SEED = Long.getLong("seed", 42);

    @TempDir Path folder;

    @Test
    void wordsAreCountedAsByHadoop() throws Exception {
        Counters counted = new Counters();
        var files =
                new BothRunners(folder)
                        .input("a.txt", "to be or not to be\n\nthat is the question\n".repeat(500))
                        .input("b.txt", "être ou ne pas être\n".repeat(300))
                        .same(
                                Jobs.local(),
                                job -> {
                                    WordCount.describe(job);
                                    job.setNumReduceTasks(3);
                                },
                                counted);
        assertThat(files).containsKeys("_SUCCESS", "part-r-00000", "part-r-00002");
        assertThat(String.join("", files.values())).contains("to\t1000\n");
        assertThat(counted.findCounter(WordCount.Seen.WORDS).getValue()).isEqualTo(6_500);
        assertThat(counted.findCounter(WordCount.Seen.EMPTY_LINES).getValue()).isEqualTo(500);
        assertThat(counted.findCounter(TaskCounter.COMBINE_INPUT_RECORDS).getValue())
                .isEqualTo(6_500);
    }

    @Test
    void valuesComeInTheOrderOfASecondarySort() throws Exception {
        var files =
                new BothRunners(folder)
                        .input(
                                "readings",
                                lines(5_000, r -> (1900 + r.nextInt(30)) + " " + r.nextInt(90)))
                        .same(Programs::secondarySort);
        assertThat(files.get("part-r-00000")).startsWith("1902\t89,89 ");
    }

    @Test
    void aUserDefinedOrderIsKept() throws Exception {
        var files =
                new BothRunners(folder)
                        .input("numbers", lines(4_000, r -> Integer.toString(r.nextInt(1_000))))
                        .same(
                                job -> {
                                    Programs.sorted(job);
                                    job.setNumReduceTasks(1);
                                    job.setSortComparatorClass(
                                            LongWritable.DecreasingComparator.class);
                                });
        assertThat(files.get("part-r-00000")).startsWith("999\n");
    }

    @Test
    void aUserDefinedPartitionerIsUsed() throws Exception {
        var files =
                new BothRunners(folder)
                        .input(
                                "numbers",
                                lines(4_000, r -> Integer.toString(r.nextInt(1_000) - 20)))
                        .same(Programs::sorted);
        List<Long> all = new ArrayList<>();
        for (int reduce = 0; reduce < 4; reduce++) {
            files.getOrDefault("part-r-0000" + reduce, "")
                    .lines()
                    .map(Long::parseLong)
                    .forEach(all::add);
        }
        assertThat(all).hasSize(4_000).isSorted();
    }

    @Test
    void aMapperMayOverrideRun() throws Exception {
        Counters counted = new Counters();
        new BothRunners(folder)
                .input("long", lines(100, Random::nextInt))
                .input("short", "one\ntwo\n")
                .same(
                        Jobs.local(),
                        job -> {
                            job.setMapperClass(Programs.WilfulMapper.class);
                            job.setReducerClass(Programs.CountingReducer.class);
                            job.setMapOutputValueClass(Text.class);
                            job.setOutputKeyClass(Text.class);
                            job.setOutputValueClass(LongWritable.class);
                            job.getConfiguration().set("greeting", "hello from map");
                        },
                        counted);
        assertThat(counted.findCounter("wilful", "mappers").getValue()).isEqualTo(2);
        assertThat(counted.findCounter(TaskCounter.MAP_INPUT_RECORDS).getValue()).isEqualTo(12);
    }

    @Test
    void aJobWithoutReducesWritesTheOutputOfItsMaps() throws Exception {
        var files =
                new BothRunners(folder)
                        .input("b", "k1\tv1\nk2\tv2\n".repeat(30))
                        .input("a", "k3\tv3\n")
                        .same(
                                job -> {
                                    job.setMapperClass(Mapper.class);
                                    job.setInputFormatClass(KeyValueTextInputFormat.class);
                                    job.setNumReduceTasks(0);
                                    job.setOutputKeyClass(Text.class);
                                    job.setOutputValueClass(Text.class);
                                });
        assertThat(files.get("part-m-00001")).isEqualTo("k3\tv3\n");
    }

    @Test
    void aReduceWithoutRecordsStillRuns() throws Exception {
        var files =
                new BothRunners(folder)
                        .input("nothing", "")
                        .same(
                                job -> {
                                    job.setMapperClass(Programs.OneKeyMapper.class);
                                    job.setReducerClass(Programs.CountingReducer.class);
                                    job.setOutputKeyClass(Text.class);
                                    job.setOutputValueClass(LongWritable.class);
                                    job.setMapOutputValueClass(Text.class);
                                    job.setNumReduceTasks(2);
                                });
        assertThat(files).containsEntry("part-r-00001", "keys\t0\n");
    }

    @Test
    void sequenceFilesAreReadAndWritten() throws Exception {
        Path input = folder.resolve("input.seq");
        Configuration configuration = new Configuration();
        try (var out =
                SequenceFile.createWriter(
                        configuration,
                        SequenceFile.Writer.file(BothRunners.hadoop(input)),
                        SequenceFile.Writer.keyClass(IntWritable.class),
                        SequenceFile.Writer.valueClass(Text.class))) {
            Random random = new Random(SEED);
            for (int i = 0; i < 1_000; i++) {
                out.append(new IntWritable(random.nextInt(500) - 250), new Text("text " + i));
            }
        }
        BothRunners both = new BothRunners(folder).input(input);
        BothRunners.Description description =
                job -> {
                    job.setInputFormatClass(SequenceFileInputFormat.class);
                    job.setOutputFormatClass(SequenceFileOutputFormat.class);
                    job.setOutputKeyClass(IntWritable.class);
                    job.setOutputValueClass(Text.class);
                };
        assertThat(both.job("theirs", description).waitForCompletion(false)).isTrue();
        Jobs.local().run(MapReduce.of(both.job("ours", description)).plan());
        // The files contain random markers, and values of equal keys come in any order.
        List<String> written = read(folder.resolve("ours/part-r-00000"));
        assertThat(written)
                .hasSize(1_000)
                .containsExactlyInAnyOrderElementsOf(read(folder.resolve("theirs/part-r-00000")));
        assertThat(written.stream().map(pair -> Integer.parseInt(pair.split(" ", -1)[0])))
                .isSorted();
    }

    private static List<String> read(Path file) throws IOException {
        List<String> pairs = new ArrayList<>();
        try (var in =
                new SequenceFile.Reader(
                        new Configuration(), SequenceFile.Reader.file(BothRunners.hadoop(file)))) {
            IntWritable key = new IntWritable();
            Text value = new Text();
            while (in.next(key, value)) {
                pairs.add(key + " " + value);
            }
        }
        return pairs;
    }

    @Test
    void aFailureNamesTaskRecordAndReasonAndLeavesNothing() throws Exception {
        Job job =
                new BothRunners(folder)
                        .input("lines", "good\ngood\nbad third\ngood\n")
                        .job(
                                "output",
                                described -> {
                                    described.setMapperClass(Programs.FailingMapper.class);
                                    described.setOutputKeyClass(Text.class);
                                    described.setOutputValueClass(Text.class);
                                });
        assertThatThrownBy(() -> Jobs.local().run(MapReduce.of(job).plan()))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("map 0, at record 3 of file:")
                .hasMessageContaining("lines:0+25")
                .hasMessageContaining("IllegalStateException: cannot read bad third");
        assertThat(folder.resolve("output")).doesNotExist();
    }

    @Test
    void aFailingReduceRemovesTheOutputOfTheOthers() throws Exception {
        Job job =
                new BothRunners(folder)
                        .input("numbers", "1\n300\n700\n999\n")
                        .job(
                                "output",
                                described -> {
                                    Programs.sorted(described);
                                    described.setReducerClass(Programs.FailingReducer.class);
                                });
        // If files became visible when their task is done, three of them would be visible.
        var plan = MapReduce.of(job).plan();
        assertThatThrownBy(() -> Jobs.local().run(plan))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("reduce 3, at record 1 of its input")
                .hasMessageContaining("cannot take 999");
        assertThat(folder.resolve("output")).doesNotExist();
    }

    @Test
    void filesAppearTogetherUnlessTheProgramChoosesOtherwise() throws Exception {
        String key = FileOutputCommitter.FILEOUTPUTCOMMITTER_ALGORITHM_VERSION;
        Configuration configuration = new Configuration();
        JobID id = new JobID("test", 1);
        assertThat(HadoopJob.of("job", configuration, id).open().getInt(key, 0)).isEqualTo(1);
        Path submitted = folder.resolve("job.xml");
        try (var out = Files.newOutputStream(submitted)) {
            configuration.writeXml(out);
        }
        Configuration read = new Configuration(false);
        read.addResource(BothRunners.hadoop(submitted));
        assertThat(HadoopJob.of("job", read, id).open().getInt(key, 0)).isEqualTo(1);
        configuration.setInt(key, 2);
        assertThat(HadoopJob.of("job", configuration, id).open().getInt(key, 0)).isEqualTo(2);
    }

    /**
     * Hadoop's library names mappers by keys of its own, and several in one value; and a command
     * line may name jars besides the program's.
     */
    @Test
    void classesOfJarsAreFoundWhereverTheConfigurationNamesThem() throws Exception {
        try (URLClassLoader program = jar("OnlyInTheJar", getClass().getClassLoader());
                URLClassLoader library = jar("TheLibrary", program)) {
            Configuration configuration = new Configuration();
            configuration.setClassLoader(library);
            configuration.set(
                    "mapreduce.input.multipleinputs.dir.mappers", "/1;OnlyInTheJar,/2;TheLibrary");
            JobConf opened = HadoopJob.of("job", configuration, new JobID("test", 1)).open();
            assertThat(opened.getClassByName("OnlyInTheJar").getClassLoader()).isEqualTo(program);
            assertThat(opened.getClassByName("TheLibrary").getClassLoader()).isEqualTo(library);
        }
    }

    /** The processes of another backend may not have them. */
    @Test
    void classesOfThisProcessAreSentByName() {
        Configuration configuration = new Configuration();
        configuration.set("example.codec", "org.apache.hadoop.io.compress.DefaultCodec");
        HadoopJob job = HadoopJob.of("job", configuration, new JobID("test", 1));
        assertThat(job.classes()).isEmpty();
        assertThat(job.named()).containsExactly("org.apache.hadoop.io.compress.DefaultCodec");
    }

    private URLClassLoader jar(String name, ClassLoader above) throws IOException {
        Path jar =
                ProgramJar.compile(
                        Files.createDirectory(folder.resolve(name)),
                        name,
                        "public class " + name + " {}");
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}, above);
    }

    @Test
    void anExistingOutputIsRefused() throws Exception {
        Files.createDirectory(folder.resolve("output"));
        Job job = new BothRunners(folder).input("a", "a\n").job("output", WordCount::describe);
        assertThatThrownBy(() -> Jobs.local().run(MapReduce.of(job).plan()))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("output")
                .hasMessageContaining("exists");
    }

    @Test
    void aMissingInputIsNamed() throws Exception {
        Job job =
                new BothRunners(folder).input(folder.resolve("gone")).job("o", WordCount::describe);
        assertThatThrownBy(() -> Jobs.local().run(MapReduce.of(job).plan()))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("gone");
        assertThat(folder.resolve("o")).doesNotExist();
    }

    @Test
    void largeFilesAreReadInSplits() throws Exception {
        new BothRunners(folder)
                .input("numbers", lines(20_000, r -> Integer.toString(r.nextInt(1_000))))
                .same(
                        job -> {
                            Programs.sorted(job);
                            FileInputFormat.setMaxInputSplitSize(job, 7_000);
                            FileOutputFormat.setCompressOutput(job, false);
                        });
    }

    private static String lines(int count, IntFunctionOfRandom line) {
        Random random = new Random(SEED);
        IntFunction<String> each = _ -> String.valueOf(line.of(random));
        return IntStream.range(0, count).mapToObj(each).collect(Collectors.joining("\n", "", "\n"));
    }

    private interface IntFunctionOfRandom {
        Object of(Random random);
    }
}
