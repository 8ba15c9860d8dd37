package petrichor.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileAlreadyExistsException;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.testkit.ProgramJar;

/** Unmodified programs that submit their jobs themselves. */
class UnchangedProgramsTest {
    @TempDir Path folder;

    /** Compiles the example, like its users. */
    private Class<?> example() throws Exception {
        String source = Files.readString(Path.of("../../../examples/mapreduce/WordCount.java"));
        Path jar =
                ProgramJar.compile(
                        Files.createDirectory(folder.resolve("program")), "WordCount", source);
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}).loadClass("WordCount");
    }

    /** Does not use Hadoop at all. */
    public static final class Idle {
        private Idle() {}

        public static void main(String[] arguments) {
            System.out.println(arguments.length);
        }
    }

    @Test
    void aMainIsAPlanWhenItSubmitsItsJob() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "a b a\n\n");
        Path output = folder.resolve("output");
        var plan =
                new HadoopPrograms().plan(example(), List.of(input.toString(), output.toString()));
        assertThat(plan).isPresent();
        assertThat(output).doesNotExist();
        var counted = Jobs.local().run(plan.get()).counters().groups();
        assertThat(counted.get("WordCount$Lines")).containsEntry("EMPTY", 1L);
        assertThat(counted.get(TaskCounter.class.getName())).containsEntry("MAP_INPUT_RECORDS", 2L);
        assertThat(BothRunners.files(output).values()).contains("a\t2\n", "b\t1\n");
        assertThat(plan.get().name()).isEqualTo("word count");
    }

    @Test
    void theErrorOfAMainIsReported() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "a\n");
        List<String> words = List.of(input.toString(), folder.toString());
        Class<?> example = example();
        assertThatThrownBy(() -> new HadoopPrograms().plan(example, words))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void aMainWithoutAJobHasNoPlan() throws Exception {
        assertThat(new HadoopPrograms().plan(Idle.class, List.of())).isEmpty();
    }

    @Test
    void aProgramMayRunSeveralJobs() throws Exception {
        Path input = Files.writeString(folder.resolve("0"), "a b a\n");
        Configuration configuration = ours();
        Path report = folder.resolve("report");
        configuration.set(JobReport.FILE, report.toString());
        for (int round = 1; round <= 2; round++) {
            Job job = Job.getInstance(configuration, "round " + round);
            WordCount.describe(job);
            FileInputFormat.addInputPath(
                    job,
                    BothRunners.hadoop(
                            round == 1 ? input : folder.resolve(round - 1 + "/part-r-00000")));
            FileOutputFormat.setOutputPath(
                    job, BothRunners.hadoop(folder.resolve(Integer.toString(round))));
            assertThat(job.waitForCompletion(false)).isTrue();
            assertThat(job.getCounters().findCounter(WordCount.Seen.WORDS).getValue())
                    .isEqualTo(round == 1 ? 3 : 4);
        }
        assertThat(Files.readString(folder.resolve("2/part-r-00000")))
                .isEqualTo("1\t1\n2\t1\na\t1\nb\t1\n");
        Job failing = Job.getInstance(configuration, "no words");
        failing.setMapperClass(Programs.FailingMapper.class);
        failing.setOutputKeyClass(Text.class);
        failing.setOutputValueClass(Text.class);
        Path bad = Files.writeString(folder.resolve("bad"), "bad\n");
        FileInputFormat.addInputPath(failing, BothRunners.hadoop(bad));
        FileOutputFormat.setOutputPath(failing, BothRunners.hadoop(folder.resolve("3")));
        assertThat(failing.waitForCompletion(false)).isFalse();
        assertThat(failing.getStatus().getState()).isEqualTo(JobStatus.State.FAILED);
        List<JsonObject> told =
                Files.readAllLines(report).stream()
                        .map(line -> JsonParser.parseString(line).getAsJsonObject())
                        .toList();
        assertThat(told)
                .extracting(
                        job -> job.get("name").getAsString(), job -> job.get("state").getAsString())
                .containsExactly(
                        tuple("round 1", "SUCCEEDED"),
                        tuple("round 2", "SUCCEEDED"),
                        tuple("no words", "FAILED"));
        assertThat(told.get(1).getAsJsonObject("counters").toString()).contains("\"WORDS\":4");
        assertThat(told.get(2).get("failure").getAsString()).contains("cannot read bad");
    }

    /** The defaults of a submitted job are not values that its program has set. */
    @Test
    void theFilesOfASubmittedJobAppearTogether() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "1\n300\n700\n999\n");
        Job job = Job.getInstance(ours(), "sorted");
        Programs.sorted(job);
        job.setReducerClass(Programs.FailingReducer.class);
        FileInputFormat.addInputPath(job, BothRunners.hadoop(input));
        FileOutputFormat.setOutputPath(job, BothRunners.hadoop(folder.resolve("output")));
        assertThat(job.waitForCompletion(false)).isFalse();
        assertThat(folder.resolve("output")).doesNotExist();
    }

    private Configuration ours() {
        Configuration configuration = new Configuration();
        configuration.set(MRConfig.FRAMEWORK_NAME, RunnerProvider.NAME);
        configuration.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 20);
        configuration.set("hadoop.tmp.dir", folder.resolve("hadoop").toString());
        return configuration;
    }

    @Test
    void aProgramMayKillItsJob() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "a\n");
        Job job = Job.getInstance(ours(), "endless");
        job.setMapperClass(Programs.EndlessMapper.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(Text.class);
        FileInputFormat.addInputPath(job, BothRunners.hadoop(input));
        FileOutputFormat.setOutputPath(job, BothRunners.hadoop(folder.resolve("output")));
        job.submit();
        job.killJob();
        assertThat(job.waitForCompletion(false)).isFalse();
        assertThat(job.getStatus().getState()).isEqualTo(JobStatus.State.KILLED);
        assertThat(folder.resolve("output")).doesNotExist();
    }
}
