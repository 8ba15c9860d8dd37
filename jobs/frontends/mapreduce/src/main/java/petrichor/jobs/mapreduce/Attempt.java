package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * One running map or reduce: its id, and the configuration by which Hadoop identifies a task.
 * Belongs to one thread.
 */
record Attempt(TaskAttemptID id, JobConf configuration, TaskReporter reporter) {

    static Attempt of(HadoopJob job, JobConf all, TaskType type, int number) throws IOException {
        // The older API's class extends the newer one's; some of Hadoop's classes require it.
        TaskAttemptID id =
                TaskAttemptID.downgrade(
                        new org.apache.hadoop.mapreduce.TaskAttemptID(
                                new TaskID(job.id(), type, number), 0));
        JobConf own = new JobConf(all);
        own.setClassLoader(all.getClassLoader());
        own.set(MRJobConfig.ID, job.id().toString());
        own.set(MRJobConfig.TASK_ID, id.getTaskID().toString());
        own.set(MRJobConfig.TASK_ATTEMPT_ID, id.toString());
        own.setInt(MRJobConfig.TASK_PARTITION, number);
        own.setBoolean(MRJobConfig.TASK_ISMAP, type == TaskType.MAP);
        own.setInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 0);
        CacheFiles.place(own, _ -> {});
        return new Attempt(id, own, new TaskReporter());
    }

    /**
     * The exception to throw when a task threw. An exception that is not the program's own failure
     * (the job was stopped, a later stage failed) is returned as it is.
     *
     * @param where the record at which it failed
     */
    RuntimeException failure(String where, Throwable thrown) {
        return switch (thrown) {
            case PetrichorException known -> known;
            case RuntimeException engine when isOfTheEngine(engine) -> engine;
            case VirtualMachineError error -> throw error;
            case Throwable other ->
                    PetrichorException.of(
                            ErrorCode.INVALID_ARGUMENT,
                            other,
                            "{kind}{id}, at {position}: {failure}",
                            "attempt",
                            id.toString(),
                            "kind",
                            (id.getTaskType() == TaskType.MAP ? "map " : "reduce "),
                            "id",
                            id.getTaskID().getId(),
                            "position",
                            where,
                            "failure",
                            other);
        };
    }

    /** The engine's signals pass through user code. */
    private static boolean isOfTheEngine(RuntimeException thrown) {
        return thrown.getClass().getName().startsWith("petrichor.jobs.engine.");
    }
}
