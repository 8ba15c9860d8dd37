package petrichor.jobs.formats;

/** What a sink does with a result of an earlier job in its place. */
public enum IfExists {
    /** The job is refused before it starts. */
    FAIL,
    /** The new result replaces the old one when the job has succeeded; until then the old stays. */
    OVERWRITE,
    /** The new files join those of the folder when the job has succeeded. */
    APPEND
}
