package petrichor.frontends.appengine.urlfetch;

import com.google.appengine.api.urlfetch.URLFetchServicePb.URLFetchRequest;
import com.google.appengine.api.urlfetch.URLFetchServicePb.URLFetchResponse;
import com.google.appengine.api.urlfetch.URLFetchServicePb.URLFetchServiceError.ErrorCode;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.fetch.FetchLimits;
import petrichor.services.fetch.FetchRequest;
import petrichor.services.fetch.FetchRequest.Option;
import petrichor.services.fetch.FetchResult;
import petrichor.services.fetch.HeaderField;
import petrichor.services.fetch.UrlFetcher;

/**
 * The API {@code urlfetch}, over {@link UrlFetcher}. A response that is too long is truncated and
 * marked; the SDK raises an error unless the app allows truncated responses. Thread-safe.
 */
public final class UrlFetch implements BundledService {
    /** The user agent has App Engine's full id of an app. */
    private static final String PARTITION = "s~";

    private static final double NANOS = 1e9;

    private final UrlFetcher fetcher;
    private final MemoryBudget memory;
    private final Predicate<ServiceCall> inTask;

    /**
     * @param memory for responses
     * @param inTask whether the app handles a task or a cron job, where fetches may take longer
     */
    public UrlFetch(UrlFetcher fetcher, MemoryBudget memory, Predicate<ServiceCall> inTask) {
        this.fetcher = fetcher;
        this.memory = memory;
        this.inTask = inTask;
    }

    @Override
    public String name() {
        return "urlfetch";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        if (!call.method().equals("Fetch")) {
            throw call.unknownMethod();
        }
        FetchRequest request = request(call);
        try (MemoryBudget.Reservation held = memory.reservation()) {
            FetchResult result =
                    fetcher.fetch(
                            PARTITION + call.app().project(), request, held, call.cancellation());
            return CompletableFuture.completedFuture(encoded(result, request));
        }
    }

    private FetchRequest request(ServiceCall call) {
        URLFetchRequest message;
        try {
            message = URLFetchRequest.parseFrom(call.request());
        } catch (InvalidProtocolBufferException e) {
            throw PetrichorException.invalid("the request of urlfetch.Fetch cannot be decoded");
        }
        return new FetchRequest(
                method(message.getMethod()),
                message.getUrl(),
                message.getHeaderList().stream()
                        .map(header -> new HeaderField(header.getKey(), header.getValue()))
                        .toList(),
                message.getPayload().toByteArray(),
                options(message),
                deadline(message, inTask.test(call)));
    }

    private static FetchRequest.Method method(URLFetchRequest.RequestMethod method) {
        return switch (method) {
            case GET -> FetchRequest.Method.GET;
            case POST -> FetchRequest.Method.POST;
            case HEAD -> FetchRequest.Method.HEAD;
            case PUT -> FetchRequest.Method.PUT;
            case DELETE -> FetchRequest.Method.DELETE;
            case PATCH -> FetchRequest.Method.PATCH;
        };
    }

    private static Set<Option> options(URLFetchRequest message) {
        Set<Option> options = EnumSet.noneOf(Option.class);
        if (message.getFollowRedirects()) {
            options.add(Option.FOLLOW_REDIRECTS);
        }
        if (message.getMustValidateServerCertificate()) {
            options.add(Option.VALIDATE_CERTIFICATE);
        }
        return options;
    }

    private static Duration deadline(URLFetchRequest message, boolean task) {
        if (!message.hasDeadline()) {
            return FetchLimits.DEADLINE_DEFAULT;
        }
        Duration max = task ? FetchLimits.DEADLINE_IN_TASKS_MAX : FetchLimits.DEADLINE_MAX;
        double seconds = message.getDeadline();
        if (!(seconds > 0)) {
            throw new ServiceError(
                    ErrorCode.DEADLINE_EXCEEDED_VALUE, "the deadline must be positive");
        }
        return seconds >= max.toSeconds() ? max : Duration.ofNanos((long) (seconds * NANOS));
    }

    private static byte[] encoded(FetchResult result, FetchRequest request) {
        return switch (result) {
            case FetchResult.Fetched fetched -> response(fetched, request).toByteArray();
            case FetchResult.Failed(FetchResult.Reason reason, String detail) ->
                    throw new ServiceError(code(reason).getNumber(), detail);
        };
    }

    private static URLFetchResponse response(FetchResult.Fetched fetched, FetchRequest request) {
        ByteString content = UnsafeByteOperations.unsafeWrap(fetched.content());
        URLFetchResponse.Builder response =
                URLFetchResponse.newBuilder()
                        .setContent(content)
                        .setStatusCode(fetched.status())
                        .setContentWasTruncated(fetched.truncated())
                        .setExternalBytesSent(request.payload().length)
                        .setExternalBytesReceived(fetched.content().length);
        if (!fetched.finalUrl().equals(request.url())) {
            response.setFinalUrl(fetched.finalUrl());
        }
        fetched.headers()
                .forEach(
                        field ->
                                response.addHeader(
                                        URLFetchResponse.Header.newBuilder()
                                                .setKey(field.name())
                                                .setValue(field.value())));
        return response.build();
    }

    private static ErrorCode code(FetchResult.Reason reason) {
        return switch (reason) {
            case INVALID_URL -> ErrorCode.INVALID_URL;
            case FETCH_ERROR -> ErrorCode.FETCH_ERROR;
            case RESPONSE_TOO_LARGE -> ErrorCode.RESPONSE_TOO_LARGE;
            case DEADLINE_EXCEEDED -> ErrorCode.DEADLINE_EXCEEDED;
            case SSL_CERTIFICATE_ERROR -> ErrorCode.SSL_CERTIFICATE_ERROR;
            case DNS_ERROR -> ErrorCode.DNS_ERROR;
            case CLOSED -> ErrorCode.CLOSED;
            case TOO_MANY_REDIRECTS -> ErrorCode.TOO_MANY_REDIRECTS;
            case MALFORMED_REPLY -> ErrorCode.MALFORMED_REPLY;
            case CONNECTION_ERROR -> ErrorCode.CONNECTION_ERROR;
            case PAYLOAD_TOO_LARGE -> ErrorCode.PAYLOAD_TOO_LARGE;
        };
    }
}
