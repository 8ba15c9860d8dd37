package petrichor.jobs.engine.memory;

import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.JobControl;

/** The resources of a job's sorts, tables and buffers: blocks, disk, and the job's stop signal. */
public record Workspace(JobControl control, BlockPool pool, SpillArea area) {
    /** Interval at which loops over records check whether the job was stopped. */
    public static final int RECORDS_BETWEEN_CHECKS = 1024;

    SpillFile spillFile() {
        return new SpillFile(area, pool);
    }
}
