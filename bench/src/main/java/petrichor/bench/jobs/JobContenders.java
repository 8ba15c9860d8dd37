package petrichor.bench.jobs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The programs with which Petrichor is compared. Each has two threads and about 3 GB of memory.
 *
 * @param peers folder filled by {@code bench/peers/install}; null if none was named
 * @param python with DuckDB, Polars and NumPy; null if none was named
 * @param memoryMegabytes memory limit of Petrichor and GNU sort; 0 if there is none
 * @param scratch for spilled data
 */
record JobContenders(
        @Nullable Path peers,
        @Nullable Path python,
        Set<String> skipped,
        int memoryMegabytes,
        Path scratch) {
    static final String OURS = "petrichor";
    static final String GNU_SORT = "gnu-sort";
    static final String DUCKDB = "duckdb";
    static final String POLARS = "polars";
    static final String NUMPY = "numpy";
    static final String DATAFUSION = "datafusion";
    static final String CHDB = "chdb";
    static final String SPARK = "spark";

    /** Flink's SQL. */
    static final String FLINK = "flink";

    /** A program in Flink's DataStream, written by hand. */
    static final String FLINK_STREAMS = "flink-streams";

    /** Petrichor's job, with Flink running its tasks. */
    static final String OURS_ON_FLINK = "on-flink";

    /** All contenders that may be skipped. */
    static final Set<String> OTHERS =
            Set.of(
                    GNU_SORT,
                    DUCKDB,
                    POLARS,
                    NUMPY,
                    DATAFUSION,
                    CHDB,
                    SPARK,
                    FLINK,
                    FLINK_STREAMS,
                    OURS_ON_FLINK);

    /** The same for every contender that runs in a JVM: Petrichor, Spark and Flink. */
    static final List<String> JVM_FLAGS = List.of("-XX:+UseSerialGC", "-Xmx3g");

    private static final String JVM_FLAGS_BESIDE_THE_HEAP = "-XX:+UseSerialGC";

    List<JobContender> of(MeasuredJob job, Path input, Path output) throws IOException {
        List<JobContender> all = new ArrayList<>();
        all.add(
                new JobContender(
                        OURS, JobsMain.command(job, input, output, memoryMegabytes), Map.of()));
        if (job == MeasuredJob.SORT || job == MeasuredJob.EMPTY) {
            all.add(
                    new JobContender(
                            GNU_SORT,
                            List.of(
                                    "sort",
                                    "-S",
                                    memoryMegabytes == 0 ? "3G" : memoryMegabytes + "M",
                                    "--parallel=2",
                                    "-T",
                                    scratch.toString(),
                                    "-o",
                                    output.toString(),
                                    input.toString()),
                            Map.of()));
        }
        Path installed = interpreter();
        if (installed != null) {
            for (String engine : inPython(job)) {
                List<String> command =
                        List.of(
                                installed.toString(),
                                "-c",
                                peersInPython(),
                                engine,
                                job.displayName(),
                                input.toString(),
                                output.toString(),
                                scratch.toString());
                all.add(new JobContender(engine, command, Map.of()));
            }
        }
        if (peers != null) {
            all.add(spark(peers, job, input, output));
            all.add(
                    new JobContender(
                            FLINK, flink(peers, "FlinkJobs", job, input, output), Map.of()));
            all.add(
                    new JobContender(
                            FLINK_STREAMS,
                            flink(peers, "FlinkStreams", job, input, output),
                            Map.of()));
            all.add(
                    new JobContender(
                            OURS_ON_FLINK, JobsMain.command(job, input, output, FLINK), Map.of()));
        }
        all.removeIf(contender -> skipped.contains(contender.name()));
        return all;
    }

    private @Nullable Path interpreter() {
        if (python != null || peers == null) {
            return python;
        }
        return peers.resolve("jobs/bin/python");
    }

    private static List<String> inPython(MeasuredJob job) {
        return switch (job) {
            case EMPTY, SORT, WORDS, Q3 -> List.of(DUCKDB, POLARS, DATAFUSION, CHDB);
            case SMALLEST -> List.of(DUCKDB, POLARS, NUMPY, DATAFUSION, CHDB);
        };
    }

    // Spark's launcher, not Python, is the parent: Python would leave its JVM running.
    private JobContender spark(Path folder, MeasuredJob job, Path input, Path output) {
        Path programs = folder.resolve("jobs/bin");
        return new JobContender(
                SPARK,
                List.of(
                        programs.resolve("spark-submit").toString(),
                        "--master",
                        "local[2]",
                        "--driver-memory",
                        "3g",
                        "--driver-java-options",
                        JVM_FLAGS_BESIDE_THE_HEAP,
                        "--driver-class-path",
                        folder.resolve("spark-jobs").toString(),
                        "--conf",
                        "spark.ui.enabled=false",
                        "--conf",
                        "spark.driver.host=127.0.0.1",
                        "--conf",
                        "spark.driver.bindAddress=127.0.0.1",
                        "--conf",
                        "spark.sql.warehouse.dir=" + scratch,
                        folder.resolve("spark_jobs.py").toString(),
                        job.displayName(),
                        input.toString(),
                        output.toString()),
                Map.of(
                        "JAVA_HOME",
                        System.getProperty("java.home"),
                        "PYSPARK_PYTHON",
                        programs.resolve("python").toString(),
                        "SPARK_LOCAL_DIRS",
                        scratch.toString()));
    }

    private List<String> flink(
            Path folder, String program, MeasuredJob job, Path input, Path output) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM_FLAGS);
        for (String opened : List.of("lang", "util", "util.concurrent", "time", "net", "nio")) {
            command.add("--add-opens=java.base/java." + opened + "=ALL-UNNAMED");
        }
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.addAll(
                List.of(
                        "-cp",
                        folder.resolve("flink-jobs") + ":" + folder.resolve("flink") + "/*",
                        program,
                        job.displayName(),
                        input.toString(),
                        output.toString(),
                        scratch.toString()));
        return command;
    }

    private static String peersInPython() throws IOException {
        try (InputStream script = JobContenders.class.getResourceAsStream("peers.py")) {
            if (script == null) {
                throw new IOException("peers.py is missing in this program");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Whether the folder contains the peers for jobs. */
    static boolean installedIn(Path folder) {
        return Files.isExecutable(folder.resolve("jobs/bin/python"))
                && Files.isDirectory(folder.resolve("spark-jobs"))
                && Files.isDirectory(folder.resolve("flink-jobs"));
    }
}
