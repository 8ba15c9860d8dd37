package petrichor.jobs.mapreduce;

import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobPriority;
import org.apache.hadoop.mapreduce.JobStatus;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.local.PlanRunner;

/** A submitted job, and its status as the program sees it. For all threads. */
final class SubmittedJob {
    private final JobID id;
    private final MapReduce job;
    private final PlanRunner.Submitted run;
    private final String name;
    private final @Nullable String report;
    private volatile JobStatus.State state = JobStatus.State.RUNNING;
    private volatile String failure = "";

    private SubmittedJob(
            JobID id, MapReduce job, PlanRunner.Submitted run, @Nullable String report) {
        this.id = id;
        this.job = job;
        this.run = run;
        this.name = job.name();
        this.report = report;
    }

    static SubmittedJob start(
            JobID id, MapReduce job, Configuration described, HadoopProgram program) {
        PlanRunner.Submitted run = program.start(job.plan(), described);
        SubmittedJob started = new SubmittedJob(id, job, run, described.get(JobReport.FILE));
        Thread.ofVirtual().name("end of " + id).start(started::await);
        return started;
    }

    private void await() {
        JobCounters counted = JobCounters.NONE;
        JobStatus.State end = JobStatus.State.SUCCEEDED;
        try {
            counted = run.await().counters();
        } catch (PetrichorException failed) {
            failure = String.valueOf(failed.getMessage());
            end =
                    failed.code() == ErrorCode.ABORTED
                            ? JobStatus.State.KILLED
                            : JobStatus.State.FAILED;
        }
        if (report != null) {
            // Before the program sees that the job has ended, because it may exit then.
            JobReport.add(Path.of(report), JobReport.of(new Status(this, end, 1), counted));
        }
        state = end;
    }

    JobStatus status() {
        return new Status(this);
    }

    /** Empty while it runs: counters are added up at its end. */
    Counters counters() {
        return state == JobStatus.State.SUCCEEDED ? job.counters() : new Counters();
    }

    void cancel() {
        run.cancel();
    }

    /** With the reason of a failure, which only the status itself can set. */
    private static final class Status extends JobStatus {
        Status(SubmittedJob of) {
            this(of, of.state, of.state == State.RUNNING ? 0 : 1);
        }

        private Status(SubmittedJob of, State state, float done) {
            super(
                    of.id,
                    1,
                    done,
                    done,
                    done,
                    state,
                    JobPriority.NORMAL,
                    System.getProperty("user.name"),
                    of.name,
                    "",
                    "");
            setFailureInfo(of.failure);
        }
    }
}
