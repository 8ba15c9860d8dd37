package petrichor.workflows;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Receives the tasks of workflows, as a handler of the JDK's HTTP server. An app with another server calls {@link
 * #status} for each request below {@link Workflows#PATH}. Thread-safe.
 */
public final class WorkflowTasks implements HttpHandler {
    /** Only the platform sets this header field; it removes it from requests of clients. */
    public static final String TASK_FIELD = "X-AppEngine-TaskName";

    private static final System.Logger LOG = System.getLogger(WorkflowTasks.class.getName());
    private static final int BODY_BYTES_MAX = 1 << 20;
    private static final int OK = 200;
    private static final int FORBIDDEN = 403;
    private static final int TOO_LARGE = 413;
    private static final int UNAVAILABLE = 503;

    private final Workflows workflows;

    public WorkflowTasks(Workflows workflows) {
        this.workflows = workflows;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readNBytes(BODY_BYTES_MAX + 1);
            String task = exchange.getRequestHeaders().getFirst(TASK_FIELD);
            exchange.sendResponseHeaders(status(exchange.getRequestURI().getPath(), task, body), -1);
        }
    }

    /**
     * Handles a POST request.
     *
     * @param task the value of {@link #TASK_FIELD}; null if the request has none
     * @return the HTTP status of the response; the queue repeats tasks with others than 200
     */
    public int status(String path, String task, byte[] body) {
        if (task == null || !path.startsWith(Workflows.PATH)) {
            return FORBIDDEN;
        }
        if (body.length > BODY_BYTES_MAX) {
            return TOO_LARGE;
        }
        try {
            workflows.handle(path.substring(Workflows.PATH.length()), new String(body, StandardCharsets.UTF_8));
            return OK;
        } catch (RuntimeException failure) {
            LOG.log(System.Logger.Level.WARNING, "the queue will repeat the task " + task, failure);
            return UNAVAILABLE;
        }
    }
}
