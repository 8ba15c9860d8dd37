package petrichor.cli.apps;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.http.HttpResponse;
import java.util.Iterator;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerPage;

/**
 * The lines that a server sends about a deployment, or about another change that starts instances.
 *
 * @param server host:port
 * @param done what the change is when it is complete, for errors
 * @param json whether lines are printed as they are
 */
record DeploymentProgress(String server, String done, boolean json) {
    private static final double MILLIS_PER_SECOND = 1_000;

    /** Prints events until the result. Fails if the change failed. */
    JsonObject follow(HttpResponse<Stream<String>> answer) {
        try (Stream<String> lines = answer.body()) {
            if (answer.statusCode() != 200) {
                String text = lines.findFirst().orElse("");
                PetrichorException known = ServerPage.reported(text);
                if (known != null) {
                    throw known;
                }
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "not {done}: {server} refused it (HTTP {statusCode}): {answer}",
                        "done",
                        done,
                        "server",
                        server,
                        "statusCode",
                        answer.statusCode(),
                        "answer",
                        text);
            }
            Iterator<String> each = lines.iterator();
            while (each.hasNext()) {
                JsonObject line = JsonParser.parseString(each.next()).getAsJsonObject();
                if (json && !line.isEmpty()) {
                    System.out.println(line);
                }
                if (line.has("deployed") || line.has("configured")) {
                    return line;
                }
                if (line.has("failed")) {
                    throw failed(line.getAsJsonObject("failed"));
                }
                if (!json) {
                    show(line);
                }
            }
        }
        throw PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "{server} ended the connection before the app was {done}; look at its log",
                "server",
                server,
                "done",
                done);
    }

    private void show(JsonObject event) {
        if (!event.has("event")) {
            return;
        }
        switch (event.get("event").getAsString()) {
            case "accepted" ->
                    System.err.println(
                            event.get("version").getAsString()
                                    + ": "
                                    + event.get("files").getAsInt()
                                    + " files, "
                                    + event.get("bytes").getAsLong()
                                    + " bytes");
            case "warning" -> System.err.println("app.yaml: " + event.get("text").getAsString());
            case "stage-finished" ->
                    System.err.printf(
                            Locale.ROOT,
                            "%s: %.1f s%s%n",
                            event.get("stage").getAsString(),
                            event.get("milliseconds").getAsLong() / MILLIS_PER_SECOND,
                            event.get("reused").getAsBoolean() ? ", from the cache" : "");
            case "applied" -> System.err.println(applied(event));
            case "starting" ->
                    System.err.println(
                            "starting an instance of " + event.get("version").getAsString());
            default -> {} // of a newer server
        }
    }

    private static String applied(JsonObject event) {
        return event.get("file").getAsString()
                + ": "
                + names(event, "defined")
                + (event.getAsJsonArray("paused").isEmpty()
                        ? ""
                        : "; paused: " + names(event, "paused"));
    }

    private static String names(JsonObject event, String list) {
        String names =
                event.getAsJsonArray(list).asList().stream()
                        .map(JsonElement::getAsString)
                        .collect(Collectors.joining(", "));
        return names.isEmpty() ? "nothing" : names;
    }

    private PetrichorException failed(JsonObject failure) {
        if (failure.has("details")) {
            System.err.println(failure.get("details").getAsString().strip());
        }
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "not {done}; {step}: {reason}",
                "done",
                done,
                "step",
                failure.get("step").getAsString(),
                "reason",
                failure.get("reason").getAsString());
    }
}
