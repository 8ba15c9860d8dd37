package petrichor.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.cli.CommandProcess;
import petrichor.cli.CommandRun;
import petrichor.jobs.testkit.ProgramJar;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;

/** Tests Hadoop programs whose {@code main} continues after a job, in every execution mode. */
@Timeout(300)
final class HadoopMainsTest {
    /** Counts words, sorts the counts in a second job, prints the first line, and exits. */
    private static final String SOURCE =
            """
            import java.io.IOException;
            import java.nio.file.*;
            import java.util.*;
            import org.apache.hadoop.conf.*;
            import org.apache.hadoop.io.*;
            import org.apache.hadoop.mapreduce.*;
            import org.apache.hadoop.mapreduce.lib.input.*;
            import org.apache.hadoop.mapreduce.lib.jobcontrol.*;
            import org.apache.hadoop.mapreduce.lib.map.*;
            import org.apache.hadoop.mapreduce.lib.output.*;
            import org.apache.hadoop.mapreduce.lib.reduce.*;

            public final class Mains {
                public static final class Failing extends Mapper<Object, Text, Text, Text> {
                    @Override
                    protected void map(Object at, Text line, Context context) throws IOException {
                        throw new IOException("not this line");
                    }
                }

                static Job words(String in, String out) throws Exception {
                    Job job = Job.getInstance(new Configuration(), "count");
                    job.setJarByClass(Mains.class);
                    job.setMapperClass(TokenCounterMapper.class);
                    job.setReducerClass(IntSumReducer.class);
                    job.setOutputKeyClass(Text.class);
                    job.setOutputValueClass(IntWritable.class);
                    job.setOutputFormatClass(SequenceFileOutputFormat.class);
                    FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path(in));
                    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(out));
                    return job;
                }

                static Job turned(String in, String out) throws Exception {
                    Job job = Job.getInstance(new Configuration(), "turn");
                    job.setJarByClass(Mains.class);
                    job.setInputFormatClass(SequenceFileInputFormat.class);
                    job.setMapperClass(InverseMapper.class);
                    job.setOutputKeyClass(IntWritable.class);
                    job.setOutputValueClass(Text.class);
                    job.setSortComparatorClass(IntWritable.Comparator.class);
                    FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path(in));
                    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(out));
                    return job;
                }

                public static void main(String[] arguments) throws Exception {
                    String in = arguments[1];
                    String out = arguments[2];
                    String between = out + "-between";
                    switch (arguments[0]) {
                        case "two" -> {
                            boolean first = words(in, between).waitForCompletion(false);
                            boolean second = turned(between, out).waitForCompletion(false);
                            List<String> lines = Files.readAllLines(Path.of(out, "part-r-00000"));
                            System.out.println("most: " + lines.getLast());
                            System.exit(first && second ? 7 : 1);
                        }
                        case "control" -> {
                            ControlledJob first = new ControlledJob(words(in, between), List.of());
                            ControlledJob second =
                                    new ControlledJob(turned(between, out), List.of(first));
                            JobControl control = new JobControl("both");
                            control.addJobCollection(List.of(first, second));
                            Thread thread = new Thread(control);
                            thread.start();
                            while (!control.allFinished()) {
                                Thread.sleep(50);
                            }
                            control.stop();
                            System.out.println(
                                    "successful: " + control.getSuccessfulJobList().size());
                        }
                        case "not waited" -> {
                            words(in, out).submit();
                            System.exit(0);
                        }
                        case "throws" -> {
                            words(in, out).waitForCompletion(false);
                            throw new IllegalStateException("after the job");
                        }
                        case "fails" -> {
                            Job job = words(in, out);
                            job.setMapperClass(Failing.class);
                            job.setMapOutputValueClass(Text.class);
                            boolean done = job.waitForCompletion(false);
                            System.out.println("done: " + done);
                            System.out.println(job.getStatus().getFailureInfo());
                        }
                        default -> System.out.println("no job for " + arguments[0]);
                    }
                }
            }
            """;

    /** Execution modes. */
    enum Way {
        HERE("--local"),
        WORKERS("--workers 2"),
        LEASED("--cloud local --machine-type small:1:320:0.10 --machines 2"),
        SERVER(""),
        SERVER_WORKERS("--workers 2"),
        SERVER_LEASED("--cloud local --machine-type small:1:320:0.10 --machines 2");

        private final String options;

        Way(String options) {
            this.options = options;
        }

        List<String> options() {
            return options.isEmpty() ? List.of() : List.of(options.split(" ", -1));
        }

        boolean isServer() {
            return name().startsWith("SERVER");
        }
    }

    @TempDir private static Path shared;

    private static Path jar;

    @TempDir private Path folder;

    @BeforeAll
    static void compile() {
        jar = ProgramJar.compile(shared, "Mains", SOURCE);
    }

    private CommandRun run(Way way, String what, String... options) throws Exception {
        Files.writeString(folder.resolve("in"), "b a b\nc b a\n");
        List<String> line = new ArrayList<>(List.of("job", "run"));
        line.addAll(way.options());
        line.addAll(Arrays.asList(options));
        List<String> program =
                List.of(
                        jar.toString(),
                        what,
                        folder.resolve("in").toString(),
                        folder.resolve("out").toString());
        if (!way.isServer()) {
            if (way == Way.LEASED) {
                line.addAll(List.of("--cloud-folder", folder.resolve("cloud").toString()));
            }
            line.addAll(program);
            return CommandProcess.run(folder, line.toArray(new String[0]));
        }
        try (Server server = Server.start(ServerConfig.defaults().withMemory().withPort(0))) {
            line.addAll(List.of("--port", Integer.toString(server.port())));
            line.addAll(program);
            return CommandRun.of(line.toArray(new String[0]));
        }
    }

    private List<String> left() throws Exception {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(path -> path.getFileName().toString())
                    .filter(name -> !name.startsWith("command") && !name.equals("cloud"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"HERE", "SERVER_WORKERS"})
    void mainRunsToItsEndAndItsStatusAndOutputAreTheCommands(Way way) throws Exception {
        runToTheEnd(way);
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"HERE", "SERVER_WORKERS"})
    void mainRunsToItsEndInEveryWay(Way way) throws Exception {
        runToTheEnd(way);
    }

    private void runToTheEnd(Way way) throws Exception {
        CommandRun run = run(way, "two");
        assertThat(run.code()).as(run.err()).isEqualTo(7);
        assertThat(run.out()).isEqualTo("most: 3\tb\n");
        assertThat(run.err()).contains("count: finished in", "turn: finished in");
        assertThat(folder.resolve("out/part-r-00000")).hasContent("1\tc\n2\ta\n3\tb\n");
        assertThat(left()).containsExactly("in", "out", "out-between");
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"HERE", "SERVER"})
    void jobsOfAJobControlRunOneAfterTheOther(Way way) throws Exception {
        CommandRun run = run(way, "control");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("successful: 2\n");
        assertThat(folder.resolve("out/part-r-00000")).hasContent("1\tc\n2\ta\n3\tb\n");
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"HERE", "SERVER"})
    void aJobThatMainDoesNotWaitForRunsToItsEnd(Way way) throws Exception {
        CommandRun run = run(way, "not waited");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(folder.resolve("out/_SUCCESS")).exists();
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"HERE", "SERVER"})
    void aMainThatThrowsEndsAsUnderJava(Way way) throws Exception {
        CommandRun run = run(way, "throws");
        assertThat(run.code()).isOne();
        assertThat(run.err())
                .contains("Exception in thread \"main\" ", "IllegalStateException: after the job");
        assertThat(folder.resolve("out/_SUCCESS")).exists();
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"HERE", "SERVER"})
    void mainLearnsThatItsJobFailedAndDecides(Way way) throws Exception {
        CommandRun run = run(way, "fails");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).startsWith("done: false\n").contains("not this line");
        assertThat(folder.resolve("out")).doesNotExist();
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"HERE", "SERVER"})
    void aMainWithoutAJobIsAProgramToo(Way way) throws Exception {
        CommandRun run = run(way, "nothing");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("no job for nothing\n");
    }

    @Tag("slow")
    @Test
    void allItsJobsAreReportedAsJson() throws Exception {
        CommandRun run = run(Way.SERVER, "control", "--json");
        String last = run.out().lines().toList().getLast();
        JsonObject job = JsonParser.parseString(last).getAsJsonObject();
        assertThat(job.get("exitStatus").getAsInt()).isZero();
        assertThat(job.getAsJsonArray("jobs"))
                .extracting(each -> each.getAsJsonObject().get("name").getAsString())
                .containsExactly("count", "turn");
        assertThat(job.getAsJsonArray("jobs").get(0).getAsJsonObject().has("counters")).isTrue();
        assertThat(job.get("name").getAsString()).isEqualTo("Mains");
    }
}
