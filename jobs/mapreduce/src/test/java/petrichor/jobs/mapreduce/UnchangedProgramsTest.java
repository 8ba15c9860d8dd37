package petrichor.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.FileAlreadyExistsException;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.local.Jobs;

/** Programs that submit their jobs themselves, as they do to a cluster. */
class UnchangedProgramsTest {
    @TempDir Path folder;

    /** As every book has it. */
    public static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            Job job = Job.getInstance(new Configuration(), "word count");
            job.setJarByClass(Main.class);
            WordCount.describe(job);
            FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path(arguments[0]));
            FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(arguments[1]));
            System.exit(job.waitForCompletion(true) ? 0 : 1);
        }
    }

    /** Has nothing to do with Hadoop. */
    public static final class Idle {
        private Idle() {}

        public static void main(String[] arguments) {
            System.out.println(arguments.length);
        }
    }

    @Test
    void aMainIsAPlanFromWhereItSubmitsItsJob() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "a b a\n");
        Path output = folder.resolve("output");
        var plan =
                new HadoopPrograms().plan(Main.class, List.of(input.toString(), output.toString()));
        assertThat(plan).isPresent();
        assertThat(output).doesNotExist();
        var counted = Jobs.local().run(plan.get()).counters().groups();
        assertThat(counted.get(WordCount.Seen.class.getName())).containsEntry("WORDS", 3L);
        assertThat(counted.get(TaskCounter.class.getName())).containsEntry("MAP_INPUT_RECORDS", 1L);
        assertThat(Files.readString(output.resolve("part-r-00000"))).isEqualTo("a\t2\nb\t1\n");
        assertThat(plan.get().name()).isEqualTo("word count");
    }

    @Test
    void whatAMainRefusesIsSaid() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "a\n");
        assertThatThrownBy(
                        () ->
                                new HadoopPrograms()
                                        .plan(
                                                Main.class,
                                                List.of(input.toString(), folder.toString())))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void aMainWithoutAJobHasNoPlan() throws Exception {
        assertThat(new HadoopPrograms().plan(Idle.class, List.of())).isEmpty();
    }

    @Test
    void aProgramMayRunJobAfterJob() throws Exception {
        Path input = Files.writeString(folder.resolve("0"), "a b a\n");
        Configuration configuration = new Configuration();
        configuration.set(MRConfig.FRAMEWORK_NAME, RunnerProvider.NAME);
        configuration.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 20);
        configuration.set("hadoop.tmp.dir", folder.resolve("hadoop").toString());
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
    }
}
