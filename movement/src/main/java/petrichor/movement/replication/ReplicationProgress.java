package petrichor.movement.replication;

/**
 * What a run has done since it started.
 *
 * @param phase of the stream
 * @param commits transactions sent
 * @param rawBytes rows sent, before compression
 * @param sentBytes rows sent, compressed
 * @param copies started because the replica was new, or because the changes that it needs are gone
 * @param retries of requests that failed
 * @param behindSince the oldest commit that the replica may not have, in microseconds since 1970; 0
 *     if it has all
 * @param problem why nothing progresses; empty if it does
 */
public record ReplicationProgress(
        Phase phase,
        long commits,
        long rawBytes,
        long sentBytes,
        long copies,
        long retries,
        long behindSince,
        String problem) {
    /** Of a stream. */
    public enum Phase {
        /** Before the first answer of the target. */
        CONNECT,
        /** Rows are copied; the replica is not consistent yet. */
        COPY,
        /** Commits since the start of the copy are applied; the replica is not consistent yet. */
        CATCH_UP,
        /** The replica is a past version of the source. */
        FOLLOWING,
        /** The target is the primary; the source refuses commits. */
        PROMOTED
    }

    static final ReplicationProgress NONE =
            new ReplicationProgress(Phase.CONNECT, 0, 0, 0, 0, 0, 0, "");

    ReplicationProgress in(Phase next) {
        return new ReplicationProgress(
                next, commits, rawBytes, sentBytes, copies, retries, behindSince, "");
    }

    ReplicationProgress behind(long since) {
        return new ReplicationProgress(
                phase, commits, rawBytes, sentBytes, copies, retries, since, problem);
    }

    ReplicationProgress sent(long moreCommits, long raw, long compressed) {
        return new ReplicationProgress(
                phase,
                commits + moreCommits,
                rawBytes + raw,
                sentBytes + compressed,
                copies,
                retries,
                behindSince,
                "");
    }

    ReplicationProgress copying(long since) {
        return new ReplicationProgress(
                Phase.COPY, commits, rawBytes, sentBytes, copies + 1, retries, since, "");
    }

    ReplicationProgress failed(String why, long now) {
        return new ReplicationProgress(
                phase,
                commits,
                rawBytes,
                sentBytes,
                copies,
                retries + 1,
                behindSince == 0 ? now : behindSince,
                why);
    }
}
