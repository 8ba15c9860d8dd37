package petrichor.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapred.SequenceFileOutputFormat;
import org.apache.hadoop.mapred.lib.IdentityMapper;
import org.apache.hadoop.mapred.lib.MultithreadedMapRunner;
import org.apache.hadoop.mapred.lib.NLineInputFormat;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.workers.Workers;
import petrichor.jobs.local.Jobs;

/**
 * Programs for Hadoop's first API give the same results as with Hadoop's own runner, byte by byte.
 */
class OldProgramsTest {
    @TempDir Path folder;

    private JobConf job(String output, Consumer<JobConf> description) {
        JobConf job = new JobConf();
        job.set(MRConfig.FRAMEWORK_NAME, "local");
        job.set("hadoop.tmp.dir", folder.resolve("hadoop").toString());
        job.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 20);
        job.setJobName(output);
        FileInputFormat.setInputPaths(job, BothRunners.hadoop(folder.resolve("input")));
        FileOutputFormat.setOutputPath(job, BothRunners.hadoop(folder.resolve(output)));
        description.accept(job);
        return job;
    }

    private void input(String name, String text) throws IOException {
        Path input = Files.createDirectories(folder.resolve("input"));
        Files.writeString(input.resolve(name), text);
    }

    /** The output of both; fails if it or any counter differs. */
    private Map<String, String> same(Consumer<JobConf> description) throws Exception {
        return same(Jobs.local(), description);
    }

    private Map<String, String> same(Jobs jobs, Consumer<JobConf> description) throws Exception {
        JobClient client = new JobClient(job("theirs", description));
        RunningJob theirs = client.submitJob(job("theirs", description));
        theirs.waitForCompletion();
        assertThat(theirs.isSuccessful()).isTrue();
        MapReduce ours = MapReduce.of(job("ours", description)).mapSubtasks(2);
        jobs.run(ours.plan());
        Map<String, String> expected = BothRunners.files(folder.resolve("theirs"));
        assertThat(BothRunners.files(folder.resolve("ours"))).isEqualTo(expected);
        for (var group : ours.counters()) {
            for (var counter : group) {
                if (!counter.getName().startsWith("COMBINE")
                        && !counter.getName().equals(TaskCounter.REDUCE_INPUT_RECORDS.name())) {
                    assertThat(counter.getValue())
                            .as(group.getName() + " " + counter.getName())
                            .isEqualTo(
                                    theirs.getCounters()
                                            .findCounter(group.getName(), counter.getName())
                                            .getValue());
                }
            }
        }
        return expected;
    }

    @Test
    void wordsAreCountedAsByHadoop() throws Exception {
        input("a", "to be or not to be\n".repeat(500));
        input("b", "that is the question\n".repeat(300));
        var files =
                same(
                        job -> {
                            OldPrograms.wordCount(job);
                            job.setNumReduceTasks(2);
                        });
        assertThat(files).containsKeys("_SUCCESS", "part-00000", "part-00001");
        assertThat(String.join("", files.values())).contains("to\t1000\n");
    }

    @Test
    void wordsAreCountedInWorkers() throws Exception {
        input("a", "to be or not to be\n".repeat(500));
        var files =
                same(Jobs.local().with(Workers.of(2, List.of("-Xmx64m"))), OldPrograms::wordCount);
        assertThat(files.get("part-00000")).contains("to\t1000\n");
    }

    /** A newer mapper with an older combiner and reducer. */
    @Test
    void aJobMayMixBothApis() throws Exception {
        input("a", "to be or not to be\n".repeat(500));
        var files =
                same(
                        job -> {
                            OldPrograms.wordCount(job);
                            OldPrograms.newerMap(job);
                        });
        assertThat(files.get("part-00000")).contains("to\t1000\n");
    }

    /** Side files of a task are committed with it, and removed if the job fails. */
    @Test
    void sideFilesAreCommittedWithTheTask() throws Exception {
        input("a", "a b\n");
        var files =
                same(
                        job -> {
                            OldPrograms.wordCount(job);
                            job.setReducerClass(OldPrograms.SideFile.class);
                        });
        assertThat(files).containsEntry("beside", "an attempt's");
    }

    @Test
    void valuesComeInTheOrderOfASecondarySort() throws Exception {
        input(
                "readings",
                IntStream.range(0, 5_000)
                        .mapToObj(i -> (1900 + i % 30) + " " + i * 31 % 97)
                        .collect(Collectors.joining("\n")));
        var files =
                same(
                        job -> {
                            OldPrograms.secondarySort(job);
                            job.setInt("first", 1900);
                        });
        // The key stays the first of its group, unlike in the newer API.
        assertThat(files.get("part-00000")).startsWith("1900\t96,96 ").contains("95,96 ");
    }

    @Test
    void mapsWithoutReducesUseTheOutputFormat() throws Exception {
        input("lines", "a\nb\nc\nd\ne\n");
        var files =
                same(
                        job -> {
                            job.setMapperClass(IdentityMapper.class);
                            job.setInputFormat(NLineInputFormat.class);
                            job.setInt("mapreduce.input.lineinputformat.linespermap", 2);
                            job.setOutputKeyClass(LongWritable.class);
                            job.setOutputValueClass(Text.class);
                            job.setNumReduceTasks(0);
                        });
        assertThat(files).containsKeys("part-00000", "part-00001", "part-00002");
    }

    @Test
    void aCustomRunnerMayMapInThreads() throws Exception {
        input("a", "to be or not to be\n".repeat(500));
        same(
                job -> {
                    OldPrograms.wordCount(job);
                    job.setMapRunnerClass(MultithreadedMapRunner.class);
                });
    }

    @Test
    void outputFormatsOfTheOlderApiAreUsed() throws Exception {
        input("a", "a b a\n");
        MapReduce job =
                MapReduce.of(
                        job(
                                "ours",
                                described -> {
                                    OldPrograms.wordCount(described);
                                    described.setOutputFormat(SequenceFileOutputFormat.class);
                                }));
        Jobs.local().run(job.plan());
        assertThat(BothRunners.files(folder.resolve("ours")).get("part-00000")).startsWith("SEQ");
    }

    @Test
    void aFailureNamesTheRecordAndLeavesNothing() throws Exception {
        input("a", "good\nbad\n");
        MapReduce job =
                MapReduce.of(
                        job(
                                "ours",
                                described -> {
                                    OldPrograms.wordCount(described);
                                    described.set("refused", "bad");
                                    described.setNumMapTasks(1);
                                }));
        assertThatThrownBy(() -> Jobs.local().run(job.plan()))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("map 0, at record 2 of file:")
                .hasMessageContaining("no bad");
        assertThat(folder.resolve("ours")).doesNotExist();
    }

    @Test
    void aMainWithAJobClientIsAPlan() throws Exception {
        input("a", "a b a\n");
        Path output = folder.resolve("output");
        var plan =
                new HadoopPrograms()
                        .plan(
                                OldPrograms.Main.class,
                                List.of(folder.resolve("input").toString(), output.toString()));
        assertThat(plan).isPresent();
        Jobs.local().run(plan.get());
        assertThat(Files.readString(output.resolve("part-00000"))).isEqualTo("a\t2\nb\t1\n");
    }
}
