package petrichor.jobs.mapreduce;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Annotations;
import petrichor.jobs.pact.DataSet;
import petrichor.jobs.pact.Plan;

/**
 * Translates a Hadoop job to a plan: its mapper as a Map contract, its combiner and reducer as a
 * Reduce contract, its own input and output formats at both ends.
 *
 * <pre>{@code
 * Job job = Job.getInstance(new Configuration(), "word count");
 * job.setMapperClass(TokenizerMapper.class);
 * ...
 * Jobs.local().run(MapReduce.of(job).plan());
 * }</pre>
 *
 * The job is configured as for Hadoop, and not submitted; later changes to it have no effect.
 * Belongs to one thread.
 */
public final class MapReduce {
    static final DateTimeFormatter STARTED = DateTimeFormatter.ofPattern("yyyyMMddHHmmss");

    private final HadoopJob job;
    private final int reduces;
    private final boolean combines;
    private final boolean sortsItself;
    private final CompletedJob finished = new CompletedJob();
    private @Nullable String machines;
    private int mapSubtasks = Runtime.getRuntime().availableProcessors();

    private MapReduce(HadoopJob job) {
        this.job = job;
        Program program = new Program(job.open());
        this.reduces = program.reduces();
        this.combines = program.combines();
        this.sortsItself = reduces > 0 && KeyEncoding.of(program.keys(), program.sorting()) == null;
        if (reduces > Annotations.PARALLELISM_MAX) {
            throw PetrichorException.invalid(
                    "{reduces} reduces are more than "
                            + Annotations.PARALLELISM_MAX
                            + ": set fewer with setNumReduceTasks",
                    "reduces",
                    reduces);
        }
    }

    public static MapReduce of(Job job) {
        return of(job.getJobName(), job.getConfiguration());
    }

    /** A job of the older API, {@code org.apache.hadoop.mapred}. */
    public static MapReduce of(JobConf job) {
        JobConf old = new JobConf(job);
        // As in Hadoop's client of that API.
        old.setUseNewMapper(job.getUseNewMapper());
        old.setUseNewReducer(job.getUseNewReducer());
        return of(old.getJobName(), old);
    }

    static MapReduce of(String name, Configuration configuration) {
        String now = STARTED.format(LocalDateTime.now(ZoneId.systemDefault()));
        return of(name, configuration, new JobID(now, 1));
    }

    static MapReduce of(String name, Configuration configuration, JobID id) {
        String shown = name == null || name.isBlank() ? "mapreduce" : name;
        return new MapReduce(HadoopJob.of(shown, configuration, id));
    }

    String name() {
        return job.name();
    }

    /** Number of maps that run at the same time; by default the number of processors. */
    public MapReduce mapSubtasks(int subtasks) {
        mapSubtasks = Annotations.parallel(subtasks).parallelism();
        return this;
    }

    /** Machine type on which its tasks run, where machines are leased. */
    public MapReduce onMachines(String kind) {
        machines = kind;
        return this;
    }

    public Plan plan() {
        Plan plan = Plan.named(job.name()).parallelism(mapSubtasks);
        write(plan);
        return plan;
    }

    private void write(Plan plan) {
        DataSet splits = plan.read(new SplitSource(job, reduces > 0)).parallelism(mapSubtasks);
        if (machines != null) {
            // The readers of this run there, too.
            splits.onMachines(machines);
        }
        InputSample sample = InputSample.of(job);
        if (sample != null) {
            splits.records((double) sample.splits() + (reduces > 0 ? 1 : 0));
        }
        if (reduces == 0) {
            splits.map("map", TaskResult.TYPE, new MapTask(job, 0))
                    .parallelism(mapSubtasks)
                    .write(new CommitSink(job, finished));
            return;
        }
        DataSet pairs =
                splits.map("map", MapOutput.TYPE, new MapTask(job, reduces))
                        .parallelism(mapSubtasks);
        if (sample != null && sample.records() > 0) {
            // A mapper's output is unknown: assume a pair per record, of its size.
            pairs.records(sample.records()).bytesPerRecord(sample.recordBytes());
        }
        var grouping = pairs.groupBy(MapOutput.SEAT_NAME);
        if (combines || !sortsItself) {
            grouping = grouping.inOrderOf(MapOutput.ORDER_NAME);
        }
        if (combines) {
            grouping = grouping.combinedBy(new CombineTask(job, reduces));
        }
        grouping.reduce("reduce", TaskResult.TYPE, new ReduceTask(job, reduces))
                .parallelism(reduces)
                .write(new CommitSink(job, finished));
    }

    /** Counters of the tasks, after the plan has run; FAILED_PRECONDITION before. */
    public Counters counters() {
        @Nullable Counters found = finished.counters();
        if (found == null) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the counters of \"{job}\" are available after it has run",
                    "job",
                    job.name());
        }
        return found;
    }
}
