package petrichor.transactions;

import java.util.List;

/**
 * A part of the change feed.
 *
 * @param position where to continue: every commit up to here has been returned by this or an
 *     earlier part. May be beyond the last commit
 * @param commits in commit order
 */
public record Changes(long position, List<ChangedCommit> commits) {
    public Changes {
        commits = List.copyOf(commits);
        if (!commits.isEmpty() && commits.getLast().version() > position) {
            throw new IllegalArgumentException("the position is before the last commit");
        }
    }
}
