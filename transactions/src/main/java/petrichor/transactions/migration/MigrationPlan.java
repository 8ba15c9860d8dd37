package petrichor.transactions.migration;

import java.util.List;

/**
 * What a migration would do. Nothing was written.
 *
 * @param rows of all tables that would be copied
 * @param bytes of their keys and values
 * @param complete false if counting ended early: there are more rows
 * @param problems why it would be refused; empty if it can start
 */
public record MigrationPlan(
        String from, String to, long rows, long bytes, boolean complete, List<String> problems) {
    public MigrationPlan {
        problems = List.copyOf(problems);
    }
}
