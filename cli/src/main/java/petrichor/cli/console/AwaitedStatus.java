package petrichor.cli.console;

import com.google.gson.JsonObject;
import java.util.function.Function;
import java.util.function.Predicate;

/** Work that a server does in the background, until it ends or needs a decision. Stateless. */
public final class AwaitedStatus {
    private static final long POLL_MILLIS = 500;

    private AwaitedStatus() {}

    /** Asks the server for its status. */
    public interface Source {
        JsonObject ask() throws InterruptedException;
    }

    /**
     * Polls while the work continues; shows each line that differs from the one before.
     *
     * @param status the first one
     * @param quiet show nothing
     * @return the status that ended the wait
     */
    public static JsonObject await(
            JsonObject status,
            Predicate<JsonObject> working,
            Function<JsonObject, String> line,
            boolean quiet,
            Source source)
            throws InterruptedException {
        JsonObject now = status;
        String shown = "";
        while (working.test(now)) {
            String next = line.apply(now);
            if (!quiet && !next.equals(shown)) {
                Terminal.open(false).say(next);
                shown = next;
            }
            Thread.sleep(POLL_MILLIS);
            now = source.ask();
        }
        return now;
    }
}
