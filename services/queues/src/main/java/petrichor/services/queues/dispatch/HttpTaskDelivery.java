package petrichor.services.queues.dispatch;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.services.queues.TaskWork;

/**
 * Delivers tasks to apps as HTTP/1.1 requests, and the others through {@link OtherServers}.
 * Connections are reused; there are never more than deliveries in progress, which the dispatchers
 * bound. Redirects are not followed: they count as failures. Thread-safe.
 */
public final class HttpTaskDelivery implements TaskDelivery, AutoCloseable {
    private static final Duration CONNECT_MAX = Duration.ofSeconds(10);

    private final AppTargets targets;
    private final OtherServers others;

    /** Has threads, so it is created by the first delivery. */
    private @Nullable HttpClient client;

    private boolean closed;

    public HttpTaskDelivery(AppTargets targets, OtherServers others) {
        this.targets = targets;
        this.others = others;
    }

    private synchronized HttpClient client() {
        if (closed) {
            throw new IllegalStateException("no deliveries after closing");
        }
        HttpClient known = client;
        if (known == null) {
            known =
                    HttpClient.newBuilder()
                            .version(HttpClient.Version.HTTP_1_1)
                            .followRedirects(HttpClient.Redirect.NEVER)
                            .connectTimeout(CONNECT_MAX)
                            .executor(
                                    Executors.newThreadPerTaskExecutor(
                                            Thread.ofVirtual().name("task-delivery-", 0).factory()))
                            .build();
            client = known;
        }
        return known;
    }

    @Override
    public boolean ready(String project) {
        return targets.reaches(project);
    }

    @Override
    public CompletableFuture<DeliveryResult> deliver(Delivery delivery) {
        return switch (delivery.task().work()) {
            case TaskWork.Pull _ -> unanswered("a task of a pull queue is not delivered");
            case TaskWork.Push push ->
                    push.isToApp() ? toApp(delivery, push) : toOthers(delivery, push);
        };
    }

    private static CompletableFuture<DeliveryResult> unanswered(String reason) {
        return CompletableFuture.completedFuture(new DeliveryResult.Unanswered(reason));
    }

    private CompletableFuture<DeliveryResult> toApp(Delivery delivery, TaskWork.Push push) {
        String target =
                push.target().isEmpty() ? delivery.queue().routing().target() : push.target();
        Duration deadline = deadline(delivery);
        return targets.acquire(delivery.project(), target, deadline)
                .thenCompose(
                        place ->
                                place.map(found -> toPlace(delivery, push, found))
                                        .orElseGet(() -> unanswered("the app cannot be reached")));
    }

    private CompletableFuture<DeliveryResult> toPlace(
            Delivery delivery, TaskWork.Push push, AppTargets.Place place) {
        URI url;
        try {
            url = joined(place.base(), push.url());
        } catch (IllegalArgumentException malformed) {
            place.close();
            return unanswered("the URL is not valid: " + malformed.getMessage());
        }
        Map<String, String> headers = TaskHeaders.toApp(delivery, place.ticket());
        headers.putAll(place.headers());
        return send(url, push, deadline(delivery), headers).whenComplete((_, _) -> place.close());
    }

    /** A path cannot change the server. */
    static URI joined(URI base, String path) {
        String text = base.toString();
        String prefix = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        return URI.create(prefix + path);
    }

    private CompletableFuture<DeliveryResult> toOthers(Delivery delivery, TaskWork.Push push) {
        return others.send(
                delivery.project(), push, TaskHeaders.toOthers(delivery), deadline(delivery));
    }

    private Duration deadline(Delivery delivery) {
        return targets.longest(delivery.project(), delivery.task().content().deadline());
    }

    private CompletableFuture<DeliveryResult> send(
            URI url, TaskWork.Push push, Duration deadline, Map<String, String> headers) {
        HttpRequest.Builder request;
        try {
            request =
                    HttpRequest.newBuilder(url)
                            .method(
                                    push.method().name(),
                                    push.body().length == 0
                                            ? HttpRequest.BodyPublishers.noBody()
                                            : HttpRequest.BodyPublishers.ofByteArray(push.body()));
            headers.forEach(request::setHeader);
        } catch (IllegalArgumentException refused) {
            return unanswered(String.valueOf(refused.getMessage()));
        }
        CompletableFuture<HttpResponse<Void>> answer =
                client().sendAsync(request.build(), HttpResponse.BodyHandlers.discarding());
        CompletableFuture<DeliveryResult> result = new CompletableFuture<>();
        var _ =
                answer.whenComplete(
                        (response, failure) -> {
                            if (failure == null) {
                                result.complete(new DeliveryResult.Answered(response.statusCode()));
                            } else {
                                result.complete(new DeliveryResult.Unanswered(failure.toString()));
                            }
                        });
        // The deadline includes the body, which the client's own timeout does not.
        result.completeOnTimeout(
                new DeliveryResult.Unanswered("the deadline of " + deadline + " passed"),
                deadline.toNanos(),
                TimeUnit.NANOSECONDS);
        var _ = result.whenComplete((_, _) -> answer.cancel(true));
        return result;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (client != null) {
            client.shutdownNow();
        }
    }
}
