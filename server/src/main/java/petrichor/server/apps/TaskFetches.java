package petrichor.server.apps;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.services.fetch.FetchRequest;
import petrichor.services.fetch.FetchResult;
import petrichor.services.fetch.HeaderField;
import petrichor.services.fetch.UrlFetcher;
import petrichor.services.queues.TaskWork;
import petrichor.services.queues.dispatch.DeliveryResult;
import petrichor.services.queues.dispatch.OtherServers;

/**
 * Sends tasks to servers that are not apps, with the rules of URL fetch: public addresses only, and
 * those of {@code fetch.allow}. Thread-safe.
 */
final class TaskFetches implements OtherServers {
    private final Supplier<UrlFetcher> create;
    private final MemoryBudget memory;
    private final Executor workers;
    private @Nullable UrlFetcher fetcher;

    /**
     * @param create called by the first request
     * @param memory for responses
     * @param workers starts a virtual thread for each task
     */
    TaskFetches(Supplier<UrlFetcher> create, MemoryBudget memory, Executor workers) {
        this.create = create;
        this.memory = memory;
        this.workers = workers;
    }

    private synchronized UrlFetcher fetcher() {
        UrlFetcher current = fetcher == null ? create.get() : fetcher;
        fetcher = current;
        return current;
    }

    @Override
    public CompletableFuture<DeliveryResult> send(
            String project, TaskWork.Push request, Map<String, String> headers, Duration deadline) {
        return CompletableFuture.supplyAsync(
                () -> fetched(project, request, headers, deadline), workers);
    }

    private DeliveryResult fetched(
            String project, TaskWork.Push request, Map<String, String> headers, Duration deadline) {
        List<HeaderField> fields = new ArrayList<>(headers.size());
        headers.forEach((name, value) -> fields.add(new HeaderField(name, value)));
        FetchRequest fetch =
                new FetchRequest(
                        method(request),
                        request.url(),
                        fields,
                        request.body(),
                        Set.of(FetchRequest.Option.VALIDATE_CERTIFICATE),
                        deadline);
        try (MemoryBudget.Reservation held = memory.reservation()) {
            return switch (fetcher().fetch(project, fetch, held, Cancellation.never())) {
                case FetchResult.Fetched fetched -> new DeliveryResult.Answered(fetched.status());
                case FetchResult.Failed(var reason, String detail) ->
                        new DeliveryResult.Unanswered(reason + ": " + detail);
            };
        }
    }

    private static FetchRequest.Method method(TaskWork.Push request) {
        return switch (request.method()) {
            case GET -> FetchRequest.Method.GET;
            case POST -> FetchRequest.Method.POST;
            case HEAD -> FetchRequest.Method.HEAD;
            case PUT -> FetchRequest.Method.PUT;
            case DELETE -> FetchRequest.Method.DELETE;
            case PATCH -> FetchRequest.Method.PATCH;
            case OPTIONS -> FetchRequest.Method.OPTIONS;
        };
    }
}
