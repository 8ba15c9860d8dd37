package petrichor.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import petrichor.jobs.local.Jobs;

/** Runs a program with Hadoop's own runner and with Petrichor, and compares the results. */
final class BothRunners {
    /** Sets a job's classes. */
    interface Description {
        void describe(Job job) throws IOException;
    }

    private final Path folder;
    private final List<Path> inputs = new ArrayList<>();

    BothRunners(Path folder) {
        this.folder = folder;
    }

    /** Adds an input file. */
    BothRunners input(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name), text, StandardCharsets.UTF_8);
        inputs.add(file);
        return this;
    }

    BothRunners input(Path existing) {
        inputs.add(existing);
        return this;
    }

    Path folder() {
        return folder;
    }

    /** A job that reads the inputs and writes to a folder of this name. */
    Job job(String output, Description description) throws IOException {
        Configuration configuration = new Configuration();
        configuration.set(MRConfig.FRAMEWORK_NAME, "local");
        configuration.set("hadoop.tmp.dir", folder.resolve("hadoop").toString());
        configuration.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 20);
        Job job = Job.getInstance(configuration, output);
        for (Path input : inputs) {
            FileInputFormat.addInputPath(job, hadoop(input));
        }
        FileOutputFormat.setOutputPath(job, hadoop(folder.resolve(output)));
        description.describe(job);
        return job;
    }

    static org.apache.hadoop.fs.Path hadoop(Path path) {
        return new org.apache.hadoop.fs.Path(path.toUri());
    }

    /** The output of both, file by file; fails if they differ. */
    Map<String, String> same(Description description) throws Exception {
        return same(Jobs.local(), description);
    }

    Map<String, String> same(Jobs jobs, Description description) throws Exception {
        Counters counted = new Counters();
        return same(jobs, description, counted);
    }

    /**
     * @param counted receives the program's counters from Petrichor, which are compared with
     *     Hadoop's
     */
    Map<String, String> same(Jobs jobs, Description description, Counters counted)
            throws Exception {
        Job theirs = job("theirs", description);
        assertThat(theirs.waitForCompletion(false)).isTrue();
        Job described = job("ours", description);
        MapReduce ours = MapReduce.of(described).mapSubtasks(2);
        jobs.run(ours.plan());
        Map<String, String> expected = files(folder.resolve("theirs"));
        assertThat(files(folder.resolve("ours"))).isEqualTo(expected);
        counted.incrAllCounters(ours.counters());
        Counters hadoop = theirs.getCounters();
        for (var group : counted) {
            for (var counter : group) {
                if (!counter.getName().startsWith("COMBINE")
                        && !counter.getName().equals("REDUCE_INPUT_RECORDS")) {
                    assertThat(counter.getValue())
                            .as(group.getName() + " " + counter.getName())
                            .isEqualTo(
                                    hadoop.findCounter(group.getName(), counter.getName())
                                            .getValue());
                }
            }
        }
        return expected;
    }

    /** Every file of a folder, including hidden ones; bytes as Latin-1. */
    static Map<String, String> files(Path folder) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (var all = Files.walk(folder)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                texts.put(
                        folder.relativize(file).toString(),
                        Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return texts;
    }
}
