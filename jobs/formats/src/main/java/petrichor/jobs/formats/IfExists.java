package petrichor.jobs.formats;

/** What a sink does if its target exists. */
public enum IfExists {
    /** The job is refused before it starts. */
    FAIL,
    /**
     * The new result replaces the old one when the job has succeeded; until then the old one stays.
     */
    OVERWRITE,
    /** The new files are added to the folder when the job has succeeded. */
    APPEND
}
