package petrichor.services.fetch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.services.fetch.FetchRequest.Method;
import petrichor.services.fetch.FetchRequest.Option;
import petrichor.services.fetch.FetchResult.Failed;
import petrichor.services.fetch.FetchResult.Fetched;
import petrichor.services.fetch.FetchResult.Reason;

/**
 * Fetches URLs for apps, within the limits of {@link FetchLimits}. Every hop of a redirect is
 * checked like the first URL. Thread-safe; {@link #fetch} blocks its thread, at most until the
 * deadline. The work itself runs on another thread, which keeps the app's permit until it has
 * really ended, so that slow servers and resolvers cannot exceed the limit.
 */
public final class UrlFetcher {
    private final AddressGuard guard;
    private final FetchPermits permits;
    private final TlsContexts tls;
    private final Predicate<String> appHosts;
    private final Executor workers;
    private final TimeSource time;

    /**
     * @param appHosts whether apps of this platform serve a host: only these learn which app calls
     * @param workers starts a virtual thread for each task: only these can be interrupted while
     *     they wait for a server
     */
    public UrlFetcher(
            AddressGuard guard,
            FetchLimits limits,
            TlsContexts tls,
            Predicate<String> appHosts,
            Executor workers,
            TimeSource time) {
        this.guard = guard;
        this.permits = new FetchPermits(limits);
        this.tls = tls;
        this.appHosts = appHosts;
        this.workers = workers;
        this.time = time;
    }

    /** Fetches that run now, for metrics. */
    public int running() {
        return permits.running();
    }

    /**
     * @param app the calling app's id
     * @param memory holds what the response needs; the caller releases it
     * @param cancellation ends the fetch before its deadline
     */
    public FetchResult fetch(
            String app,
            FetchRequest request,
            MemoryBudget.Reservation memory,
            Cancellation cancellation) {
        long nanos =
                Math.max(0, Math.min(request.deadline().toNanos(), cancellation.remainingNanos()));
        Deadline deadline = new Deadline(time, time.monotonicNanos() + nanos);
        Exchange exchange = new Exchange(guard, tls);
        cancellation.onCancel(exchange::cancel);
        try {
            check(request);
            if (!permits.acquire(app, deadline.remaining())) {
                return late("too many fetches of this app are running");
            }
        } catch (FetchFailure refused) {
            return refused.toResult();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return late("the server stops");
        }
        return await(start(app, request, exchange, deadline, memory), exchange, deadline);
    }

    private static void check(FetchRequest request) {
        if (request.payload().length > FetchLimits.PAYLOAD_BYTES_MAX) {
            throw new FetchFailure(
                    Reason.PAYLOAD_TOO_LARGE,
                    "the payload is larger than " + FetchLimits.PAYLOAD_BYTES_MAX + " bytes");
        }
    }

    private CompletableFuture<FetchResult> start(
            String app,
            FetchRequest request,
            Exchange exchange,
            Deadline deadline,
            MemoryBudget.Reservation memory) {
        CompletableFuture<FetchResult> result = new CompletableFuture<>();
        boolean started = false;
        try {
            workers.execute(
                    () -> {
                        try {
                            result.complete(follow(app, request, exchange, deadline, memory));
                        } catch (FetchFailure failed) {
                            result.complete(failed.toResult());
                        } catch (RuntimeException | Error failed) {
                            result.completeExceptionally(failed);
                        } finally {
                            permits.release(app);
                        }
                    });
            started = true;
        } finally {
            if (!started) {
                permits.release(app);
            }
        }
        return result;
    }

    private static FetchResult await(
            CompletableFuture<FetchResult> result, Exchange exchange, Deadline deadline) {
        try {
            return result.get(deadline.remaining().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            exchange.cancel();
            return late("the deadline passed");
        } catch (InterruptedException e) {
            exchange.cancel();
            Thread.currentThread().interrupt();
            return late("the server stops");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure
                    ? failure
                    : new IllegalStateException(e.getCause());
        }
    }

    private static Failed late(String detail) {
        return new Failed(Reason.DEADLINE_EXCEEDED, detail);
    }

    private Fetched follow(
            String app,
            FetchRequest request,
            Exchange exchange,
            Deadline deadline,
            MemoryBudget.Reservation memory) {
        boolean follow = request.has(Option.FOLLOW_REDIRECTS);
        Exchange.Hop hop = first(app, request);
        for (int redirects = 0; ; redirects++) {
            Exchange.Reply reply = exchange.send(hop, deadline.remaining(), memory);
            if (!follow || !isRedirect(reply.status())) {
                return new Fetched(
                        reply.status(),
                        reply.headers(),
                        reply.body().content(),
                        reply.body().truncated(),
                        redirects == 0 ? request.url() : hop.url().text());
            }
            if (redirects == FetchLimits.REDIRECTS_MAX) {
                throw new FetchFailure(
                        Reason.TOO_MANY_REDIRECTS,
                        "more than " + FetchLimits.REDIRECTS_MAX + " redirects");
            }
            memory.clear();
            hop = next(hop, reply);
        }
    }

    private Exchange.Hop first(String app, FetchRequest request) {
        TargetUrl url = TargetUrl.parse(request.url(), guard.allowed());
        List<HeaderField> headers = RequestHeaders.of(app, request);
        if (!request.has(Option.FOLLOW_REDIRECTS) && appHosts.test(url.host())) {
            headers.add(new HeaderField(RequestHeaders.INBOUND_APP, app));
        }
        return new Exchange.Hop(
                request.method(),
                url,
                headers,
                request.method().hasBody() ? request.payload() : new byte[0],
                request.has(Option.VALIDATE_CERTIFICATE),
                RequestHeaders.decodesItself(request));
    }

    private static boolean isRedirect(int status) {
        return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    }

    private Exchange.Hop next(Exchange.Hop hop, Exchange.Reply reply) {
        String location = reply.header("Location");
        if (location == null) {
            throw new FetchFailure(Reason.MALFORMED_REPLY, "a redirect has no Location");
        }
        TargetUrl url = hop.url().redirect(location, guard.allowed());
        boolean same = reply.status() >= 307 || hop.method().isKept();
        List<HeaderField> headers = hop.headers();
        if (!url.hasOriginOf(hop.url())) {
            headers = RequestHeaders.withoutCredentials(headers);
        }
        if (!same) {
            headers = RequestHeaders.withoutPayload(headers);
        }
        return new Exchange.Hop(
                same ? hop.method() : Method.GET,
                url,
                headers,
                same ? hop.payload() : new byte[0],
                hop.validateCertificate(),
                hop.decodesItself());
    }

    /** The end of a fetch on the monotonic clock. */
    private record Deadline(TimeSource time, long nanos) {
        Duration remaining() {
            // HttpClient takes a timeout of zero as none.
            return Duration.ofNanos(Math.max(1_000_000, nanos - time.monotonicNanos()));
        }
    }
}
