package petrichor.jobs.engine.memory;

import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.JobControl;

/** What sorts, tables and buffers of a job work with: blocks, disk, and the job's end. */
public record Workspace(JobControl control, BlockPool pool, SpillArea area) {
    /** How often a loop over records looks whether the job was stopped. */
    public static final int RECORDS_BETWEEN_CHECKS = 1024;

    SpillFile spillFile() {
        return new SpillFile(area, pool);
    }
}
