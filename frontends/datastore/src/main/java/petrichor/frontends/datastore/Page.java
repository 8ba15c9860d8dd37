package petrichor.frontends.datastore;

import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.Role;

/**
 * A small resource served beside the API: health, metrics, version, jobs, the emulator's reset. The
 * first page that matches a request's path and method answers it.
 *
 * @param method GET, POST or DELETE
 * @param path may have parameters; see {@link PathTemplate}
 * @param access who may ask; checked before the body is read
 * @param lane which threads answer it
 * @param answer runs on a thread that may wait, unless the lane says otherwise
 */
public record Page(
        String method,
        PathTemplate path,
        Access access,
        Lane lane,
        Function<Request, Answer> answer) {
    /** Who may ask for a page, while there are tokens. */
    public enum Access {
        /** Everybody; such requests are not in the audit log. */
        OPEN,
        /** Every token; the page itself checks the role and what the request is about. */
        TOKEN,
        /** Tokens of any role that reach all projects. */
        READ,
        /** Tokens with the role admin that reach all projects. */
        ADMIN
    }

    /** Which threads answer a page; none of them carries out requests of the API. */
    public enum Lane {
        /**
         * The network thread itself: a response from memory, even if all other threads are busy.
         */
        AT_ONCE,
        /** Threads for health and metrics, which orchestrators wait for. */
        HEALTH,
        /** Threads for what may take a while. */
        WORK
    }

    public Page(
            String method,
            String path,
            Access access,
            Lane lane,
            Function<Request, Answer> answer) {
        this(method, PathTemplate.of(path), access, lane, answer);
    }

    public Page(String method, String path, Access access, Function<Request, Answer> answer) {
        this(method, path, access, Lane.WORK, answer);
    }

    /**
     * What is asked.
     *
     * @param inPath values of the path's parameters
     * @param parameters of the query, the first of each name
     * @param body unpacked
     * @param contentType empty if there is none
     * @param accept the media types that the client takes; empty if it does not say
     * @param origin the page in a browser that asks; null if no browser does
     * @param attempt knows the caller; pages with {@link Access#TOKEN} check with it
     */
    public record Request(
            String path,
            Map<String, String> inPath,
            Map<String, String> parameters,
            byte[] body,
            String contentType,
            String accept,
            @Nullable String origin,
            AccessAttempt attempt) {
        /** The value of a parameter that the page's path has. */
        public String inPath(String name) {
            return Objects.requireNonNull(inPath.get(name), name);
        }
    }

    /** PERMISSION_DENIED unless the caller may ask for this page. */
    void authorize(AccessAttempt attempt) {
        switch (access) {
            case OPEN, TOKEN -> {}
            case READ -> attempt.requireEverywhere(Role.READ);
            case ADMIN -> attempt.requireEverywhere(Role.ADMIN);
        }
    }

    /** HEAD asks as GET does. */
    boolean takes(String asked) {
        return method.equals(asked) || (asked.equals("HEAD") && method.equals("GET"));
    }

    boolean isAt(String asked) {
        return path.match(asked).isPresent();
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
     * when the one before is on its way; closed at the end and when the client disconnects.
     */
    public interface Rest extends Supplier<@Nullable String>, AutoCloseable {
        /** The next piece, or null at the end. */
        @Override
        @Nullable String get();

        @Override
        void close();
    }
}
