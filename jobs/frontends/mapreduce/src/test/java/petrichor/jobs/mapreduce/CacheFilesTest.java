package petrichor.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.GenericOptionsParser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.workers.Workers;
import petrichor.jobs.local.Jobs;

/** A job's cached files: Hadoop's distributed cache. */
@SuppressWarnings("SameNameButDifferent") // usual in Hadoop programs
class CacheFilesTest {
    @TempDir Path folder;

    private Set<String> before = Set.of();

    @BeforeEach
    void rememberFiles() throws IOException {
        before = workingDirectory();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        assertThat(workingDirectory()).isEqualTo(before);
    }

    private static Set<String> workingDirectory() throws IOException {
        try (var all = Files.list(Path.of(""))) {
            return all.map(Path::toString).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Drops the words in a cached file, which it finds in every supported way. */
    public static final class Filter extends Mapper<LongWritable, Text, Text, NullWritable> {
        private final Set<String> dropped = new TreeSet<>();

        @Override
        @SuppressWarnings("deprecation") // still used by most programs
        protected void setup(Context context) throws IOException {
            for (URI each : context.getCacheFiles()) {
                context.getCounter("cache", each.toString().replaceAll(".*/", "")).increment(1);
            }
            List<String> files = new ArrayList<>(List.of("dropped-words"));
            for (var each : context.getLocalCacheFiles()) {
                files.add(each.toUri().getPath());
            }
            var archives = context.getLocalCacheArchives();
            if (archives != null) {
                files.add(archives[0].toUri().getPath() + "/inner/more.txt");
                files.add("archive/inner/more.txt");
            }
            for (String file : files) {
                try (BufferedReader in =
                        new BufferedReader(new FileReader(file, StandardCharsets.UTF_8))) {
                    context.getCounter("cache", "files read").increment(1);
                    in.lines().forEach(dropped::add);
                }
            }
        }

        @Override
        protected void map(LongWritable at, Text line, Context context)
                throws IOException, InterruptedException {
            if (!dropped.contains(line.toString())) {
                context.write(line, NullWritable.get());
            }
        }
    }

    private static URI file(Path folder, String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toUri();
    }

    private static URI archive(Path folder) throws IOException {
        Path zip = folder.resolve("words.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            out.putNextEntry(new ZipEntry("inner/more.txt"));
            out.write("four\n".getBytes(StandardCharsets.UTF_8));
        }
        return zip.toUri();
    }

    private static void filters(Job job) {
        job.setMapperClass(Filter.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(NullWritable.class);
    }

    static void describe(Path folder, Job job) throws IOException {
        filters(job);
        job.addCacheFile(URI.create(file(folder, "one.txt", "one\n") + "#dropped-words"));
        job.addCacheFile(file(folder, "two.txt", "two\n"));
        job.addCacheArchive(URI.create(archive(folder) + "#archive"));
    }

    @Test
    void filesAndArchivesAreFoundAsInHadoop() throws Exception {
        same(Jobs.local());
    }

    @Test
    void cachedFilesAreFoundInWorkers() throws Exception {
        same(Jobs.local().with(Workers.of(2, List.of("-Xmx64m"))));
    }

    private void same(Jobs jobs) throws Exception {
        var files =
                new BothRunners(folder)
                        .input("words", "one\ntwo\nthree\nfour\nfive\n")
                        .same(jobs, job -> describe(folder, job));
        assertThat(files).containsEntry("part-r-00000", "five\nthree\n");
    }

    @Test
    void anExistingNameIsRefusedBeforeAnythingRuns() throws Exception {
        Job job =
                new BothRunners(folder)
                        .input("words", "one\n")
                        .job(
                                "output",
                                described -> {
                                    filters(described);
                                    described.addCacheFile(
                                            URI.create(
                                                    file(folder, "one.txt", "one\n") + "#pom.xml"));
                                });
        assertThatThrownBy(() -> Jobs.local().run(MapReduce.of(job).plan()))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("one.txt must be linked as pom.xml")
                .hasMessageContaining("already has a file of this name");
        assertThat(folder.resolve("output")).doesNotExist();
    }

    /** A stale link must not keep the next job from running. */
    @Test
    void linksOfAKilledJobAreReplaced() throws Exception {
        long nobody = Integer.MAX_VALUE;
        Path left = Files.createDirectory(folder.resolve("petrichor-cache-" + nobody + "-1"));
        Files.createSymbolicLink(Path.of("dropped-words"), left);
        Job job =
                new BothRunners(folder)
                        .input("words", "one\nfive\n")
                        .job("output", described -> describe(folder, described));
        Jobs.local().run(MapReduce.of(job).plan());
        assertThat(folder.resolve("output/part-r-00000")).hasContent("five\n");
    }

    @Test
    void aMissingFileIsNamed() throws Exception {
        Job job =
                new BothRunners(folder)
                        .input("words", "one\n")
                        .job(
                                "output",
                                described -> {
                                    filters(described);
                                    described.addCacheFile(folder.resolve("gone").toUri());
                                });
        assertThatThrownBy(() -> Jobs.local().run(MapReduce.of(job).plan()))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("gone of the job is missing");
    }

    /** As started with -files. */
    public static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            GenericOptionsParser parsed = new GenericOptionsParser(new Configuration(), arguments);
            Job job = Job.getInstance(parsed.getConfiguration(), "filter");
            filters(job);
            String[] rest = parsed.getRemainingArgs();
            FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path(rest[0]));
            FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(rest[1]));
            System.exit(job.waitForCompletion(true) ? 0 : 1);
        }
    }

    @Test
    void filesOnTheCommandLineAreSentWithTheJob() throws Exception {
        Path staging = folder.resolve("hadoop");
        var plan =
                new HadoopPrograms()
                        .plan(
                                Main.class,
                                List.of(
                                        "-Dhadoop.tmp.dir=" + staging,
                                        "-files",
                                        file(folder, "one.txt", "one\n") + "#dropped-words",
                                        file(folder, "words", "one\ntwo\n").getPath(),
                                        folder.resolve("output").toString()))
                        .orElseThrow();
        Jobs.local().run(plan);
        assertThat(Files.readString(folder.resolve("output/part-r-00000"))).isEqualTo("two\n");
        try (var left = Files.walk(staging)) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
    }
}
