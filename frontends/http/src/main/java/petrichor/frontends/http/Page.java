package petrichor.frontends.http;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.Role;

/**
 * A small HTTP resource in addition to the API: health, metrics, version, jobs, the emulator's
 * reset. The first page that matches a request's path and method answers it.
 *
 * @param method such as GET
 * @param path may have parameters; see {@link PathTemplate}
 * @param access required token; checked before the body is read
 * @param lane threads that run the page
 * @param intake how the body of a request reaches the page
 * @param answer runs on a thread that may block, except in the lane AT_ONCE
 */
public record Page(
        String method,
        PathTemplate path,
        Access access,
        Lane lane,
        Intake intake,
        Function<Request, Answer> answer) {
    private static final String GIT = ".git";

    /** The access that a page requires if tokens are configured. */
    public enum Access {
        /** No token; such requests are not in the audit log. */
        OPEN,
        /** Any token; the page itself checks the role and the requested data. */
        TOKEN,
        /**
         * A token is verified if the request has one. A request without one reaches the page, too,
         * which identifies the caller by other means.
         */
        OPTIONAL_TOKEN,
        /** A token of any role for all projects. */
        READ,
        /** A token with the role admin for all projects. */
        ADMIN,
        /** A token with the role view for the project that the path names as app or project. */
        PROJECT_VIEW,
        /** A token with the role deploy for the project of the path. */
        PROJECT_DEPLOY,
        /**
         * Like PROJECT_DEPLOY; the token may also be the password of HTTP's basic authentication,
         * for clients such as Git.
         */
        PROJECT_DEPLOY_PASSWORD,
        /** A token with the role admin for the project of the path. */
        PROJECT_ADMIN
    }

    /** The threads that run a page; none of them runs requests of the API. */
    public enum Lane {
        /**
         * The network thread itself: a response from memory, even if all other threads are busy.
         */
        AT_ONCE,
        /** Threads for health and metrics, which orchestrators poll. */
        HEALTH,
        /** Threads for pages that may take longer. */
        WORK,
        /** A virtual thread per request, for calls of apps, which come in large numbers. */
        CALLS
    }

    /** How the body of a request reaches the page. */
    public enum Intake {
        /** Completely, decompressed and bounded, before the page is called. */
        BUFFERED,
        /**
         * Piece by piece, while the page runs, as the client encoded it; see {@link Raw#body}. The
         * size is not bounded, and neither is the time as long as bytes arrive.
         */
        STREAMED
    }

    public Page(
            String method,
            String path,
            Access access,
            Lane lane,
            Function<Request, Answer> answer) {
        this(method, PathTemplate.of(path), access, lane, Intake.BUFFERED, answer);
    }

    /** A page that reads the body of a request as it arrives, on a virtual thread. */
    public static Page streaming(
            String method, PathTemplate path, Access access, Function<Request, Answer> answer) {
        return new Page(method, path, access, Lane.CALLS, Intake.STREAMED, answer);
    }

    public Page(String method, String path, Access access, Function<Request, Answer> answer) {
        this(method, path, access, Lane.WORK, answer);
    }

    /**
     * A request for a page.
     *
     * @param inPath values of the path's parameters
     * @param parameters of the query, the first of each name
     * @param body decompressed; empty if it is streamed
     * @param contentType empty if not set
     * @param accept accepted media types; empty if not set
     * @param origin origin of the requesting web page; null if none
     * @param headers all header fields, with lower-case names, the first value of each
     * @param attempt authorizes the caller, for pages with {@link Access#TOKEN} or {@link
     *     Access#OPTIONAL_TOKEN}
     * @param cancellation ends when the client disconnects
     * @param raw the request as it arrives
     */
    public record Request(
            String path,
            Map<String, String> inPath,
            Map<String, String> parameters,
            byte[] body,
            String contentType,
            String accept,
            @Nullable String origin,
            Map<String, String> headers,
            AccessAttempt attempt,
            Cancellation cancellation,
            Raw raw) {
        /** Whether a POST means PATCH, which Java's HTTP library cannot send. */
        public boolean meansPatch() {
            return "PATCH".equals(headers.get("x-http-method-override"));
        }

        /** The value of a path parameter. */
        public String inPath(String name) {
            return Objects.requireNonNull(inPath.get(name), name);
        }
    }

    /**
     * A request as it arrives.
     *
     * @param method that the client sent, such as HEAD for a page that takes GET
     * @param target path and query, not decoded
     * @param body of a page that streams; empty otherwise
     */
    public record Raw(String method, String target, RequestBody body) {}

    /**
     * PERMISSION_DENIED unless the caller may access this page.
     *
     * @param asked the path of the request, which is that of this page
     */
    public void authorize(AccessAttempt attempt, String asked) {
        switch (access) {
            case OPEN, TOKEN, OPTIONAL_TOKEN -> {}
            case READ -> attempt.requireEverywhere(Role.READ);
            case ADMIN -> attempt.requireEverywhere(Role.ADMIN);
            case PROJECT_VIEW -> attempt.requireProject(Role.VIEW, project(asked));
            case PROJECT_DEPLOY, PROJECT_DEPLOY_PASSWORD ->
                    attempt.requireProject(Role.DEPLOY, project(asked));
            case PROJECT_ADMIN -> attempt.requireProject(Role.ADMIN, project(asked));
        }
    }

    /** The name of a Git remote may end with .git. */
    private String project(String asked) {
        Map<String, String> inPath = path.match(asked).orElse(Map.of());
        String app = inPath.get("app");
        String project = app == null ? inPath.getOrDefault("project", "") : app;
        return access == Access.PROJECT_DEPLOY_PASSWORD && project.endsWith(GIT)
                ? project.substring(0, project.length() - GIT.length())
                : project;
    }

    /** Treats HEAD like GET. */
    public boolean takes(String asked) {
        return method.equals(asked) || (asked.equals("HEAD") && method.equals("GET"));
    }

    public boolean isAt(String asked) {
        return path.match(asked).isPresent();
    }

    /**
     * @param status HTTP status
     * @param type media type of the body
     * @param body the complete body, or its beginning; owned by the answer
     * @param headers further header fields, with lower-case names
     * @param rest pieces that follow the body; null if there are none
     * @param held memory of the body, released when the client has read it; null for a short one
     */
    public record Answer(
            int status,
            String type,
            byte[] body,
            Map<String, String> headers,
            @Nullable Rest rest,
            MemoryBudget.@Nullable Reservation held) {
        private static final int SWITCHING_PROTOCOLS = 101;

        public Answer {
            headers = Map.copyOf(headers);
        }

        public Answer(
                int status,
                String type,
                byte[] body,
                Map<String, String> headers,
                @Nullable Rest rest) {
            this(status, type, body, headers, rest, null);
        }

        public static Answer bytes(int status, String type, byte[] body) {
            return new Answer(status, type, body, Map.of(), null);
        }

        public static Answer text(int status, String body) {
            return encoded(status, "text/plain; charset=utf-8", body);
        }

        public static Answer json(int status, String body) {
            return encoded(status, "application/json; charset=utf-8", body);
        }

        /** Server-sent events. */
        public static Answer events(Rest rest) {
            return streamed("text/event-stream; charset=utf-8", rest);
        }

        /** A body that is sent piece by piece. */
        public static Answer streamed(String type, Rest rest) {
            return new Answer(200, type, new byte[0], Map.of(), rest);
        }

        /**
         * Accepts a WebSocket. The request must ask for one: it has the header {@code Upgrade:
         * websocket}.
         */
        public static Answer socket(SocketMessages messages) {
            return new Answer(SWITCHING_PROTOCOLS, "", new byte[0], Map.of(), messages);
        }

        /** A text in UTF-8 with another media type. */
        public static Answer encoded(int status, String type, String body) {
            return bytes(status, type, body.getBytes(StandardCharsets.UTF_8));
        }

        /** The same answer with more header fields. */
        public Answer with(Map<String, String> more) {
            Map<String, String> all = new HashMap<>(headers);
            all.putAll(more);
            return new Answer(status, type, body, all, rest, held);
        }

        /** The same answer, which releases the memory when it is sent. */
        public Answer holding(MemoryBudget.Reservation reserved) {
            return new Answer(status, type, body, headers, rest, reserved);
        }
    }

    /**
     * The pieces of a streamed response. Called on a thread that may block, for the next piece when
     * the previous one is written; closed at the end and when the client disconnects.
     */
    public interface Rest extends Supplier<byte @Nullable []>, AutoCloseable {
        /** The next piece, or null at the end. */
        @Override
        byte @Nullable [] get();

        /**
         * Bytes of all pieces together. If they are not known (-1), the response is chunked and the
         * connection closes after it.
         */
        default long bytes() {
            return -1;
        }

        @Override
        void close();
    }
}
