package petrichor.jobs.engine;

/** What every part of a subtask needs: memory, disk, the job's end, its figures. */
record TaskTools(JobControl control, BlockPool pool, SpillArea area, TaskFigures figures) {
    /** How often a loop over records looks whether the job was stopped. */
    static final int RECORDS_BETWEEN_CHECKS = 1024;

    SpillFile spillFile() {
        return new SpillFile(area, pool);
    }
}
