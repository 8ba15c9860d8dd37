package petrichor.sql.h2;

import java.time.Duration;

/**
 * Limits of one statement; zero for none.
 *
 * @param lock of each wait for a row lock
 * @param lockChanges whether a statement locks the rows that it changes
 */
public record Timeouts(Duration statement, Duration lock, boolean lockChanges) {
    /** Of a statement in a transaction that the client began. */
    public Timeouts lockingChanges() {
        return new Timeouts(statement, lock, true);
    }
}
