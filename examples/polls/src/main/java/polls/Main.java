package polls;

import com.google.cloud.datastore.DatastoreException;
import com.google.cloud.datastore.DatastoreOptions;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/** Serves polls with Jetty: {@code POST /POLL} with the field {@code choice} votes. */
public final class Main {
    private static final String NAME = "/[a-z0-9-]{1,40}";

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        // The client connects to DATASTORE_EMULATOR_HOST, which the platform sets.
        Polls polls = new Polls(DatastoreOptions.getDefaultInstance().getService());
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(Integer.parseInt(System.getenv("PORT")));
        server.addConnector(connector);
        server.setHandler(
                new Handler.Abstract() {
                    @Override
                    public boolean handle(Request request, Response response, Callback callback)
                            throws Exception {
                        answer(polls, request, response, callback);
                        return true;
                    }
                });
        server.setStopAtShutdown(true);
        server.start();
        server.join();
    }

    private static void answer(Polls polls, Request request, Response response, Callback callback)
            throws Exception {
        String path = Request.getPathInContext(request);
        if (!path.matches(NAME)) {
            send(response, callback, HttpStatus.NOT_FOUND_404, "open /NAME, such as /lunch\n");
            return;
        }
        String poll = path.substring(1);
        if (request.getMethod().equals("POST")) {
            Fields form = Request.getParameters(request);
            String choice = form.getValue("choice");
            if (choice == null || choice.isBlank() || choice.length() > Polls.CHOICE_MAX) {
                send(response, callback, HttpStatus.BAD_REQUEST_400, "choose something\n");
                return;
            }
            try {
                polls.vote(poll, choice.strip());
            } catch (DatastoreException conflict) {
                send(response, callback, HttpStatus.SERVICE_UNAVAILABLE_503, "vote again\n");
                return;
            }
        }
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Long> choice : polls.result(poll).entrySet()) {
            text.append(choice.getKey()).append(": ").append(choice.getValue()).append('\n');
        }
        send(response, callback, HttpStatus.OK_200, text.toString());
    }

    private static void send(Response response, Callback callback, int status, String text) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain; charset=utf-8");
        response.write(true, StandardCharsets.UTF_8.encode(text), callback);
    }
}
