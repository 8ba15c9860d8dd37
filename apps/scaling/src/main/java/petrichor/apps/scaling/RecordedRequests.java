package petrichor.apps.scaling;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * The load of one version in the router's request log. A request arrives when it did, and takes its
 * latency without the time for which it waited for an instance. Requests that no instance answered,
 * such as those for files, are counted but not part of the load.
 *
 * @param version PROJECT/SERVICE/VERSION
 * @param otherRequests of this version, that no instance answered
 */
public record RecordedRequests(LoadTrace trace, String version, int otherRequests) {
    /** Long enough for a step; requests at the same time keep their order. */
    private static final Duration INSTANT = Duration.ofNanos(1);

    private record Request(Instant time, Duration each) {}

    /** Whether the line is from a request log, and not from a written trace. */
    public static boolean isLogLine(String line) {
        return line.startsWith("{");
    }

    /**
     * @param file name for errors
     * @param lines JSON objects; in any order, because a request is logged at its end
     * @param version PROJECT/SERVICE/VERSION; empty for the only one in the log
     */
    public static RecordedRequests parse(
            String file, Stream<String> lines, Optional<String> version) {
        List<Request> requests = new ArrayList<>();
        Set<String> versions = new TreeSet<>();
        int others = 0;
        int number = 0;
        for (Iterator<String> each = lines.iterator(); each.hasNext(); ) {
            String line = each.next();
            number++;
            JsonObject entry = line.isBlank() ? null : object(file, number, line);
            String name = entry == null ? null : name(entry);
            if (entry == null || name == null || !version.orElse(name).equals(name)) {
                continue;
            }
            versions.add(name);
            if (!entry.has("instance")) {
                others++;
            } else {
                requests.add(request(file, number, entry));
            }
            if (requests.size() > LoadTrace.STEPS_MAX) {
                throw PetrichorException.invalid(
                        "{file} has more than {requestsMax} requests; replay a part of it.",
                        "file",
                        file,
                        "requestsMax",
                        LoadTrace.STEPS_MAX);
            }
        }
        if (versions.size() != 1) {
            throw versions.isEmpty()
                    ? PetrichorException.invalid(
                            "{file} has no request of {version}.",
                            "file",
                            file,
                            "version",
                            version.orElse("a version"))
                    : PetrichorException.invalid(
                            "{file} has requests of several versions: {versions}; choose one.",
                            "file",
                            file,
                            "versions",
                            String.join(", ", versions));
        }
        return new RecordedRequests(trace(requests), versions.iterator().next(), others);
    }

    private static LoadTrace trace(List<Request> requests) {
        List<Request> sorted =
                requests.stream().sorted(Comparator.comparing(Request::time)).toList();
        return new LoadTrace(
                sorted.stream()
                        .map(
                                request ->
                                        new LoadTrace.Step(
                                                Duration.between(
                                                        sorted.getFirst().time(), request.time()),
                                                INSTANT,
                                                1,
                                                request.each()))
                        .toList());
    }

    private static JsonObject object(String file, int number, String line) {
        try {
            JsonElement parsed = JsonParser.parseString(line);
            if (parsed.isJsonObject()) {
                return parsed.getAsJsonObject();
            }
        } catch (JsonParseException invalid) {
            // as if it were another value
        }
        throw invalid(file, number);
    }

    /** Null if the host of the request is that of no app. */
    private static @Nullable String name(JsonObject entry) {
        return entry.has("app") && entry.has("service") && entry.has("version")
                ? String.join(
                        "/",
                        entry.get("app").getAsString(),
                        entry.get("service").getAsString(),
                        entry.get("version").getAsString())
                : null;
    }

    private static Request request(String file, int number, JsonObject entry) {
        JsonElement time = entry.get("time");
        JsonElement latency = entry.get("latency_us");
        JsonElement pending = entry.get("pending_us");
        if (time == null || latency == null || pending == null) {
            throw invalid(file, number);
        }
        try {
            long micros = latency.getAsLong() - pending.getAsLong();
            return new Request(
                    Instant.parse(time.getAsString()),
                    Duration.of(Math.max(0, micros), ChronoUnit.MICROS));
        } catch (DateTimeException
                | NumberFormatException
                | UnsupportedOperationException
                | IllegalStateException invalid) {
            throw invalid(file, number);
        }
    }

    private static PetrichorException invalid(String file, int line) {
        return PetrichorException.invalid(
                "{file}:{line} is not a line of a request log: a JSON object with time, latency_us"
                        + " and pending_us.",
                "file",
                file,
                "line",
                line);
    }
}
