package petrichor.services.fetch;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.services.fetch.FetchRequest.Method;
import petrichor.services.fetch.FetchRequest.Option;
import petrichor.services.fetch.FetchResult.Failed;
import petrichor.services.fetch.FetchResult.Fetched;
import petrichor.services.fetch.FetchResult.Reason;

/** A fetcher with shorthands for tests; all names are those of loopback. */
final class Fetching implements AutoCloseable {
    static final Set<Option> DEFAULT = Set.of(Option.FOLLOW_REDIRECTS, Option.VALIDATE_CERTIFICATE);
    static final Set<Option> NO_REDIRECTS = Set.of(Option.VALIDATE_CERTIFICATE);
    static final Duration GENEROUS = Duration.ofSeconds(60);

    final UrlFetcher fetcher;
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final ExecutorService lookups = Executors.newCachedThreadPool();
    private final MemoryBudget budget;

    Fetching(String... allow) {
        this(host -> new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")}, allow);
    }

    Fetching(AddressGuard.Resolver resolver, String... allow) {
        this(resolver, TlsContexts.system(), FetchLimits.DEFAULT, MemoryBudget.unlimited(), allow);
    }

    Fetching(
            AddressGuard.Resolver resolver,
            TlsContexts tls,
            FetchLimits limits,
            MemoryBudget budget,
            String... allow) {
        this.budget = budget;
        this.fetcher =
                new UrlFetcher(
                        new AddressGuard(
                                FetchAllowlist.parse(List.of(allow)),
                                _ -> false,
                                resolver,
                                lookups),
                        limits,
                        tls,
                        host -> host.endsWith(".apps.example"),
                        workers,
                        TimeSource.SYSTEM);
    }

    FetchResult fetch(FetchRequest request) {
        return fetch(request, Cancellation.never());
    }

    FetchResult fetch(FetchRequest request, Cancellation cancellation) {
        try (MemoryBudget.Reservation memory = budget.reservation()) {
            return fetcher.fetch("demo", request, memory, cancellation);
        }
    }

    Fetched get(String url) {
        return fetched(fetch(request(url)));
    }

    Reason failure(String url) {
        return reason(fetch(request(url)));
    }

    static FetchRequest request(String url, HeaderField... headers) {
        return request(Method.GET, url, "", DEFAULT, headers);
    }

    static FetchRequest request(
            Method method,
            String url,
            String payload,
            Set<Option> options,
            HeaderField... headers) {
        return new FetchRequest(
                method,
                url,
                List.of(headers),
                payload.getBytes(StandardCharsets.UTF_8),
                options,
                GENEROUS);
    }

    static Fetched fetched(FetchResult result) {
        if (result instanceof Fetched fetched) {
            return fetched;
        }
        throw new AssertionError(result);
    }

    static Reason reason(FetchResult result) {
        if (result instanceof Failed failed) {
            return failed.reason();
        }
        throw new AssertionError("fetched");
    }

    static String text(Fetched fetched) {
        return new String(fetched.content(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        workers.close();
        lookups.close();
    }
}
