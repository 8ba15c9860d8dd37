package petrichor.server.jobs;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;
import petrichor.jobs.service.Execution;
import petrichor.jobs.service.JobService;
import petrichor.jobs.service.JobSnapshot;
import petrichor.jobs.service.JobSubscription;
import petrichor.jobs.service.Progress;
import petrichor.jobs.service.ProgressJson;
import petrichor.jobs.service.Submission;

/**
 * {@code /petrichor/v1/jobs}: submits, lists, shows, follows, cancels and resumes jobs, in JSON;
 * used by the command {@code job}. Protects against cross-site requests: a jar must be sent with
 * its own content type, which browsers do not send to other sites without a preflight request, and
 * requests of pages from other origins are refused.
 */
public final class JobsPage {
    public static final String PATH = "/petrichor/v1/jobs";

    private static final String HISTORY = PATH + "/history";
    private static final String KEPT = PATH + "/kept";
    private static final String JOB = PATH + "/{id}";
    private static final String ID = "id";
    private static final String ELSEWHERE = PATH + "/*";
    private static final String JAR = "application/java-archive";

    /**
     * Content type of a line of JSON that describes the job, followed by the jar. The description
     * could exceed the length of a URL.
     */
    private static final String DESCRIBED_JAR = "application/vnd.petrichor.job";

    private static final int HISTORY_STANDARD = 100;
    private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");

    private final Supplier<JobService> service;

    public JobsPage(SubmittedJobs jobs) {
        this.service = jobs::service;
    }

    public List<Page> pages() {
        return List.of(
                new Page("GET", PATH, Page.Access.READ, answered(this::list)),
                new Page("POST", PATH, Page.Access.ADMIN, answered(this::submit)),
                new Page("GET", HISTORY, Page.Access.READ, answered(this::history)),
                new Page("GET", KEPT, Page.Access.READ, answered(this::kept)),
                new Page("DELETE", KEPT + "/{id}", Page.Access.ADMIN, answered(this::giveUp)),
                new Page("POST", JOB + "/resume", Page.Access.ADMIN, answered(this::resume)),
                new Page("GET", JOB + "/events", Page.Access.READ, answered(this::follow)),
                new Page("GET", JOB, Page.Access.READ, answered(this::show)),
                new Page("DELETE", JOB, Page.Access.ADMIN, answered(this::cancel)),
                new Page("GET", ELSEWHERE, Page.Access.READ, unknown("GET")),
                new Page("POST", ELSEWHERE, Page.Access.ADMIN, unknown("POST")),
                new Page("DELETE", ELSEWHERE, Page.Access.ADMIN, unknown("DELETE")));
    }

    private static Function<Page.Request, Page.Answer> unknown(String method) {
        return answered(
                request -> {
                    throw PetrichorException.of(
                            ErrorCode.NOT_FOUND,
                            "there is no endpoint {method} {path}; available: GET and POST "
                                    + PATH
                                    + ", GET and DELETE "
                                    + PATH
                                    + "/ID, POST "
                                    + PATH
                                    + "/ID/resume",
                            "method",
                            method,
                            "path",
                            request.path());
                });
    }

    private static Function<Page.Request, Page.Answer> answered(
            Function<Page.Request, Page.Answer> page) {
        return request -> {
            try {
                return page.apply(request);
            } catch (PetrichorException refused) {
                JsonObject error = new JsonObject();
                error.addProperty("error", refused.getMessage());
                error.addProperty("code", refused.code().name());
                return Page.Answer.json(status(refused.code()), error + "\n");
            }
        };
    }

    private static int status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> 400;
            case UNAUTHENTICATED -> 401;
            case PERMISSION_DENIED -> 403;
            case NOT_FOUND -> 404;
            case ALREADY_EXISTS, ABORTED, FAILED_PRECONDITION -> 409;
            case RESOURCE_EXHAUSTED -> 429;
            case UNIMPLEMENTED -> 501;
            case UNAVAILABLE, DEADLINE_EXCEEDED -> 503;
            case INTERNAL -> 500;
        };
    }

    private Page.Answer list(Page.Request request) {
        JsonArray jobs = new JsonArray();
        service.get().jobs().forEach(job -> jobs.add(job.json(true)));
        return object("jobs", jobs);
    }

    private Page.Answer history(Page.Request request) {
        String limit = request.parameters().getOrDefault("limit", "");
        int most = limit.matches("\\d{1,9}") ? Integer.parseInt(limit) : HISTORY_STANDARD;
        return object("jobs", service.get().historyJson(most));
    }

    private Page.Answer kept(Page.Request request) {
        JsonArray jobs = new JsonArray();
        service.get().kept().forEach(job -> jobs.add(job.json()));
        return object("jobs", jobs);
    }

    private Page.Answer giveUp(Page.Request request) {
        requireSameOrigin(request.origin());
        String id = request.inPath(ID);
        JsonObject json = new JsonObject();
        json.addProperty("id", id);
        service.get().giveUp(id).ifPresent(left -> json.addProperty("left", left));
        return Page.Answer.json(200, json + "\n");
    }

    private Page.Answer resume(Page.Request request) {
        requireSameOrigin(request.origin());
        return Page.Answer.json(201, service.get().resume(request.inPath(ID)).json(true) + "\n");
    }

    private static Page.Answer object(String name, JsonElement value) {
        JsonObject json = new JsonObject();
        json.add(name, value);
        return Page.Answer.json(200, json + "\n");
    }

    private Page.Answer submit(Page.Request request) {
        requireSameOrigin(request.origin());
        JobSnapshot job;
        if (request.contentType().startsWith(DESCRIBED_JAR)) {
            byte[] body = request.body();
            int line = lineEnd(body);
            job =
                    service.get()
                            .submit(
                                    Arrays.copyOfRange(body, line + 1, body.length),
                                    Submission.parse(
                                            new String(body, 0, line, StandardCharsets.UTF_8)));
        } else if (request.contentType().startsWith(JAR)) {
            job = service.get().submit(request.body(), described(request.parameters()));
        } else {
            throw PetrichorException.invalid(
                    "send the jar as the body with Content-Type: "
                            + JAR
                            + ", or a line of JSON that describes the job followed by the jar with"
                            + " Content-Type: "
                            + DESCRIBED_JAR);
        }
        JsonObject json = job.json(true);
        // The client may be on another machine, and relative paths name files here.
        json.addProperty("folder", Path.of("").toAbsolutePath().toString());
        return Page.Answer.json(201, json + "\n");
    }

    private static int lineEnd(byte[] body) {
        for (int i = 0; i < body.length; i++) {
            if (body[i] == '\n') {
                return i;
            }
        }
        throw PetrichorException.invalid(
                "the body must begin with a line of JSON that describes the job");
    }

    private static Submission described(Map<String, String> parameters) {
        return new Submission(
                        parameters.get("class"),
                        arguments(parameters.getOrDefault("arguments", "[]")))
                .with(
                        Execution.of(
                                workers(parameters.getOrDefault("workers", "0")),
                                parameters.getOrDefault("backend", ""),
                                false,
                                null));
    }

    private static int workers(String number) {
        if (!number.matches("\\d{1,9}")) {
            throw PetrichorException.invalid(
                    "workers must be a whole number, not \"{number}\"", "number", number);
        }
        return Integer.parseInt(number);
    }

    private static List<String> arguments(String json) {
        try {
            List<String> arguments = new ArrayList<>();
            JsonParser.parseString(json)
                    .getAsJsonArray()
                    .forEach(one -> arguments.add(one.getAsString()));
            return arguments;
        } catch (JsonParseException | IllegalStateException | UnsupportedOperationException e) {
            throw PetrichorException.invalid(
                    "arguments must be a JSON array of strings, not {json}", "json", json);
        }
    }

    private static void requireSameOrigin(@Nullable String origin) {
        if (origin == null) {
            return;
        }
        String host = "";
        try {
            host = Optional.ofNullable(URI.create(origin).getHost()).orElse("");
        } catch (IllegalArgumentException noUri) {
            // Not a page of this server.
        }
        if (!THIS_MACHINE.contains(host)) {
            throw PetrichorException.of(
                    ErrorCode.PERMISSION_DENIED,
                    "a page of origin {origin} must not do this",
                    "origin",
                    origin);
        }
    }

    private Page.Answer follow(Page.Request request) {
        return Page.Answer.events(new Events(service.get().follow(request.inPath(ID))));
    }

    private Page.Answer show(Page.Request request) {
        return Page.Answer.json(200, service.get().show(request.inPath(ID)) + "\n");
    }

    private Page.Answer cancel(Page.Request request) {
        requireSameOrigin(request.origin());
        return Page.Answer.json(200, service.get().cancel(request.inPath(ID)).json(true) + "\n");
    }

    /** A job's events in the format of server-sent events. */
    private record Events(JobSubscription following) implements Page.Rest {
        /** Sends a comment line at this interval to detect disconnected clients. */
        private static final Duration SILENCE_MAX = Duration.ofSeconds(10);

        @Override
        public byte @Nullable [] get() {
            String text = text();
            return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
        }

        private @Nullable String text() {
            try {
                Optional<Progress.Event> next = following.next(SILENCE_MAX);
                if (next.isEmpty()) {
                    return following.isOver() ? null : ": nothing new\n\n";
                }
                Progress.Event event = next.get();
                return "event: "
                        + ProgressJson.name(event)
                        + "\ndata: "
                        + ProgressJson.of(event)
                        + "\n\n";
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
        }

        @Override
        public void close() {
            following.close();
        }
    }
}
