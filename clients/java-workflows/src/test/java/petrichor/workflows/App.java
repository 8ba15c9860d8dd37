package petrichor.workflows;

import com.google.cloud.NoCredentials;
import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.DatastoreOptions;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/**
 * The app under test: receives tasks at a port of this machine. While the file {@code TASKS_AT_ONCE} exists, it handles
 * each task twice at the same time.
 */
public final class App {
    static final String PROJECT = "workflows-java";
    private static final int THREADS = 16;

    private App() {}

    public static void main(String[] arguments) throws IOException {
        Workflows workflows = workflows(System.getenv("DATASTORE_EMULATOR_HOST"));
        WorkflowTasks tasks = new WorkflowTasks(workflows);
        Path twice = Path.of(System.getenv("TASKS_AT_ONCE"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
        server.setExecutor(Executors.newFixedThreadPool(THREADS));
        server.createContext(
                Workflows.PATH,
                exchange -> {
                    if (Files.exists(twice)) {
                        handleTwice(tasks, exchange);
                    } else {
                        tasks.handle(exchange);
                    }
                });
        server.start();
    }

    static Workflows workflows(String server) {
        return new Workflows(datastore(server), TaskQueues.at(server, PROJECT));
    }

    static Datastore datastore(String server) {
        return DatastoreOptions.newBuilder()
                .setProjectId(PROJECT)
                .setHost("http://" + server)
                .setCredentials(NoCredentials.getInstance())
                .build()
                .getService();
    }

    private static void handleTwice(WorkflowTasks tasks, HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String path = exchange.getRequestURI().getPath();
            String task = exchange.getRequestHeaders().getFirst(WorkflowTasks.TASK_FIELD);
            var other = CompletableFuture.supplyAsync(() -> tasks.status(path, task, body));
            exchange.sendResponseHeaders(Math.max(tasks.status(path, task, body), other.join()), -1);
        }
    }
}
