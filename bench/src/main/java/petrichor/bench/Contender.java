package petrichor.bench;

import java.time.Duration;

/**
 * Something that is measured: runs for a while and says how fast it was.
 *
 * @param name as it stands in tables, e.g. {@code petrichor} or {@code ceiling}
 * @param round runs once for about the given time
 */
public record Contender(String name, Round round) {
    /** One measured run. */
    @FunctionalInterface
    public interface Round {
        Sample run(Duration length) throws Exception;
    }
}
