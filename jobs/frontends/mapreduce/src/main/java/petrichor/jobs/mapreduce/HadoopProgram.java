package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.JobID;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.workers.Workers;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.local.PlanRunner;
import petrichor.jobs.local.RunWatcher;
import petrichor.jobs.pact.Plan;

/** The jobs of one program, submitted through any of its Hadoop clients. Safe for all threads. */
final class HadoopProgram {
    private static final String WORKERS = "petrichor.workers";

    private final String started =
            MapReduce.STARTED.format(LocalDateTime.now(ZoneId.systemDefault()));

    private final @Nullable PlanRunner runner;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<JobID, SubmittedJob> jobs = new ConcurrentHashMap<>();

    /**
     * @param runner null if each job chooses itself how it runs
     */
    HadoopProgram(@Nullable PlanRunner runner) {
        this.runner = runner;
    }

    JobID newId() {
        return new JobID(started, ids.incrementAndGet());
    }

    PlanRunner.Submitted start(Plan plan, Configuration described) {
        if (runner != null) {
            return runner.submit(plan);
        }
        int workers = described.getInt(WORKERS, 0);
        Jobs jobs = workers == 0 ? Jobs.local() : Jobs.local().with(Workers.sharingHeap(workers));
        return jobs.start(plan, RunWatcher.NONE);
    }

    void add(JobID id, SubmittedJob job) {
        jobs.put(id, job);
    }

    SubmittedJob job(JobID id) throws IOException {
        SubmittedJob found = jobs.get(id);
        if (found == null) {
            throw new IOException("there is no job " + id + " in this process");
        }
        return found;
    }

    Collection<SubmittedJob> jobs() {
        return jobs.values();
    }
}
