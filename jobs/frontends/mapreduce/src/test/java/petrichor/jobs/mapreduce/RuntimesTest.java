package petrichor.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.engine.hosted.StageRuntimePlugin;
import petrichor.jobs.engine.workers.Workers;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.local.RunWatcher;

/** The same programs in worker processes, and on another runtime. */
class RuntimesTest {
    private static final String HEAP = "-Xmx64m";
    private static final long ENGINE_BYTES = 16 << 20;

    /** A strong reference, because a logger without one is collected and loses its level. */
    private static final Logger APACHE = Logger.getLogger("org.apache");

    private static StageRuntime flink;

    @TempDir Path folder;

    @Test
    void wordsAreCountedInWorkers() throws Exception {
        wordsAreCountedOn(Jobs.local().with(Workers.of(2, List.of(HEAP))));
    }

    @Test
    void wordsAreCountedOnFlink() throws Exception {
        wordsAreCountedOn(Jobs.local().with(flink));
    }

    /** Two jobs, the second of which reads the first one's output. */
    public static final class TwoJobs {
        private TwoJobs() {}

        public static void main(String[] arguments) throws Exception {
            String from = arguments[0];
            for (String to : List.of(arguments[1], arguments[2])) {
                Job job = Job.getInstance(new Configuration(), "round to " + to);
                WordCount.describe(job);
                FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path(from));
                FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(to));
                if (!job.waitForCompletion(false)) {
                    throw new IllegalStateException(job.getStatus().getFailureInfo());
                }
                from = to;
            }
        }
    }

    @Test
    void aMainRunsToItsEndOnFlink() throws Exception {
        Path in = Files.writeString(folder.resolve("in"), "a b a\n");
        List<String> words =
                Stream.of(in, folder.resolve("first"), folder.resolve("second"))
                        .map(Path::toString)
                        .toList();
        Jobs jobs = Jobs.local().with(flink);
        new HadoopPrograms().run(TwoJobs.class, words, plan -> jobs.start(plan, RunWatcher.NONE));
        assertThat(BothRunners.files(folder.resolve("second")).values())
                .anyMatch(text -> text.equals("1\t1\n2\t1\na\t1\nb\t1\n"));
    }

    @BeforeAll
    static void startFlink() {
        APACHE.setLevel(Level.OFF);
        flink =
                ServiceLoader.load(StageRuntimePlugin.class).stream()
                        .map(ServiceLoader.Provider::get)
                        .filter(plugin -> plugin.name().equals("flink"))
                        .findFirst()
                        .orElseThrow()
                        .open("", List.of());
    }

    @AfterAll
    static void stopFlink() {
        flink.close();
    }

    private void wordsAreCountedOn(Jobs jobs) throws Exception {
        Counters counted = new Counters();
        var files =
                new BothRunners(folder)
                        .input("a", "one two two\n".repeat(10_000))
                        .input("b", "three three three four\n".repeat(5_000))
                        .same(
                                jobs,
                                job -> {
                                    WordCount.describe(job);
                                    job.setNumReduceTasks(2);
                                },
                                counted);
        assertThat(String.join("", files.values())).contains("three\t15000\n");
        assertThat(counted.findCounter(WordCount.Seen.WORDS).getValue()).isEqualTo(50_000);
    }

    @Test
    void secondarySortOnFlinkKeepsTheComparatorsOrder() throws Exception {
        new BothRunners(folder)
                .input(
                        "readings",
                        IntStream.range(0, 2_000)
                                .mapToObj(i -> (1900 + i % 7) + " " + i * 31 % 97)
                                .collect(Collectors.joining("\n")))
                .same(Jobs.local().with(flink), Programs::secondarySort);
    }

    @Test
    void cacheFilesAreFoundOnFlink() throws Exception {
        var files =
                new BothRunners(folder)
                        .input("words", "one\ntwo\nthree\nfour\nfive\n")
                        .same(
                                Jobs.local().with(flink),
                                job -> CacheFilesTest.describe(folder, job));
        assertThat(files).containsEntry("part-r-00000", "five\nthree\n");
    }

    /** 100 MB of values under one key, in workers of 64 MB: values are streamed. */
    @Test
    void aKeyMayHaveAMillionValuesInLittleMemory() throws Exception {
        Job job = oneKey("output", "250000\n250000\n250000\n250000\n");
        littleMemory().run(MapReduce.of(job).plan());
        assertThat(Files.readString(folder.resolve("output/part-r-00000")))
                .isEqualTo("all\t1000000\nkeys\t1\n");
    }

    /** The same with a user-defined comparator, which sorts in the reduce itself. */
    @Test
    void aUserDefinedOrderNeedsNoMoreMemory() throws Exception {
        Job job = oneKey("output", "250000\n250000\n250000\n250000\n");
        job.setSortComparatorClass(Backwards.class);
        littleMemory().run(MapReduce.of(job).plan());
        assertThat(Files.readString(folder.resolve("output/part-r-00000")))
                .isEqualTo("all\t1000000\nkeys\t1\n");
    }

    private static Jobs littleMemory() {
        return Jobs.local()
                .with(EngineOptions.ofThisProcess().withMemoryBytes(ENGINE_BYTES))
                .with(Workers.of(1, List.of(HEAP)));
    }

    private Job oneKey(String output, String lines) throws Exception {
        return new BothRunners(folder)
                .input("lines", lines)
                .job(
                        output,
                        described -> {
                            described.setMapperClass(Programs.OneKeyMapper.class);
                            described.setReducerClass(Programs.CountingReducer.class);
                            described.setMapOutputValueClass(Text.class);
                            described.setOutputKeyClass(Text.class);
                            described.setOutputValueClass(LongWritable.class);
                        });
    }

    /** Texts in descending order. */
    public static final class Backwards extends Text.Comparator {
        @Override
        public int compare(byte[] b1, int s1, int l1, byte[] b2, int s2, int l2) {
            return -super.compare(b1, s1, l1, b2, s2, l2);
        }
    }

    @Test
    void aFailureInAWorkerNamesTheRecord() throws Exception {
        Job job =
                new BothRunners(folder)
                        .input("lines", "good\nbad\n")
                        .job(
                                "output",
                                described -> {
                                    described.setMapperClass(Programs.FailingMapper.class);
                                    described.setOutputKeyClass(Text.class);
                                    described.setOutputValueClass(Text.class);
                                });
        Jobs workers = Jobs.local().with(Workers.of(2, List.of(HEAP)));
        assertThatThrownBy(() -> workers.run(MapReduce.of(job).plan()))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("map 0, at record 2 of file:");
        assertThat(folder.resolve("output")).doesNotExist();
    }
}
