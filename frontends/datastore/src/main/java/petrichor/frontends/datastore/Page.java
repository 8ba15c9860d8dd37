package petrichor.frontends.datastore;

import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Something small that is served beside the API: health, metrics, version, jobs, the emulator's
 * reset.
 *
 * @param method GET, POST or DELETE
 * @param path exactly; one that ends with a slash and a star stands for everything below it
 * @param guarded asks for the token, if there is one
 * @param lane which threads answer it
 * @param answer runs on a thread that may wait, unless the lane says otherwise
 */
public record Page(
        String method, String path, boolean guarded, Lane lane, Function<Request, Answer> answer) {
    /** Which threads answer a page; none of them carries out requests of the API. */
    public enum Lane {
        /** The network thread itself: an answer from memory, whatever the server is busy with. */
        AT_ONCE,
        /** Threads for health and metrics, which orchestrators wait for. */
        HEALTH,
        /** Threads for what may take a while. */
        WORK
    }

    public Page(String method, String path, boolean guarded, Function<Request, Answer> answer) {
        this(method, path, guarded, Lane.WORK, answer);
    }

    private static final String BELOW = "/*";

    /**
     * What is asked.
     *
     * @param parameters of the query, the first of each name
     * @param body unpacked
     * @param contentType empty if there is none
     * @param origin the page in a browser that asks; null if no browser does
     */
    public record Request(
            String path,
            Map<String, String> parameters,
            byte[] body,
            String contentType,
            @Nullable String origin) {}

    boolean isAt(String asked) {
        return path.endsWith(BELOW)
                ? asked.startsWith(path.substring(0, path.length() - 1))
                : path.equals(asked);
    }

    /**
     * @param status of HTTP
     * @param type the body's media type
     * @param rest what follows the body, piece by piece as it comes; null if nothing does
     */
    public record Answer(int status, String type, String body, @Nullable Rest rest) {
        public static Answer text(int status, String body) {
            return new Answer(status, "text/plain; charset=utf-8", body, null);
        }

        public static Answer json(int status, String body) {
            return new Answer(status, "application/json; charset=utf-8", body, null);
        }

        /** Server-sent events. */
        public static Answer events(Rest rest) {
            return new Answer(200, "text/event-stream; charset=utf-8", "", rest);
        }
    }

    /**
     * The pieces of a long answer. Asked on a thread of its own that may wait, for the next piece
     * when the one before is on its way; closed at the end and when nobody listens any more.
     */
    public interface Rest extends Supplier<@Nullable String>, AutoCloseable {
        /** The next piece, or null at the end. */
        @Override
        @Nullable String get();

        @Override
        void close();
    }
}
