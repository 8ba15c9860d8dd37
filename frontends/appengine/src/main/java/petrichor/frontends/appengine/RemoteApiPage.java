package petrichor.frontends.appengine;

import com.google.apphosting.base.protos.api.RemoteApiPb.Request;
import com.google.apphosting.base.protos.api.RemoteApiPb.Response;
import com.google.apphosting.base.protos.api.RemoteApiPb.RpcError.ErrorCode;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.concurrent.TimeUnit;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Routing;
import petrichor.rpc.Trace;

/**
 * {@code POST /rpc_http}: the protocol between Google's SDKs and the API server. The body is a
 * remote_api {@code Request}; the answer is a {@code Response} with HTTP status 200, whether the
 * call succeeds or fails. Thread-safe.
 */
final class RemoteApiPage {
    private static final String MEDIA_TYPE = "application/octet-stream";
    private static final String ENDPOINT_HEADER = "x-google-rpc-service-endpoint";
    private static final String ENDPOINT = "app-engine-apis";
    private static final String METHOD_HEADER = "x-google-rpc-service-method";
    private static final String METHOD = "/VMRemoteAPI.CallRemoteAPI";
    private static final String DEADLINE_HEADER = "x-google-rpc-service-deadline";

    private static final double DEADLINE_SECONDS = 60;

    /** App Engine's longest deadline, of requests to other servers from tasks. */
    private static final double DEADLINE_SECONDS_MAX = 600;

    /** App Engine's limit on requests, without the envelope. */
    static final int REQUEST_BYTES_MAX = 32 << 20;

    private final AppIdentification identification;
    private final AppCalls calls;
    private final Routing routing;
    private final MemoryBudget responses;
    private final CallMetrics metrics;
    private final CallSlots slots = new CallSlots();

    RemoteApiPage(
            AppIdentification identification,
            AppCalls calls,
            Routing routing,
            MemoryBudget responses,
            CallMetrics metrics) {
        this.identification = identification;
        this.calls = calls;
        this.routing = routing;
        this.responses = responses;
        this.metrics = metrics;
    }

    Page page() {
        return new Page(
                "POST", "/rpc_http", Page.Access.OPTIONAL_TOKEN, Page.Lane.CALLS, this::answer);
    }

    private Page.Answer answer(Page.Request http) {
        Request call;
        Cancellation within;
        try {
            requireHeader(http, ENDPOINT_HEADER, ENDPOINT);
            requireHeader(http, METHOD_HEADER, METHOD);
            within = within(http);
            call = Request.parseFrom(http.body());
        } catch (InvalidProtocolBufferException damaged) {
            return malformed("the body is not a Request of remote_api: " + damaged.getMessage());
        } catch (PetrichorException refused) {
            return malformed(String.valueOf(refused.getMessage()));
        }
        byte[] response = answer(call, http, within);
        MemoryBudget.Reservation held = responses.reservation();
        if (!held.add(response.length)) {
            held.close();
            return bytes(
                    RemoteApiErrors.rpc(
                                    ErrorCode.OVER_QUOTA,
                                    "too many bytes of responses wait for slow clients"
                                            + " (server.memory-percent); retry later")
                            .toByteArray());
        }
        return bytes(response).holding(held);
    }

    // every failure of a well-formed call is a response
    @SuppressWarnings("CatchThrowable")
    private byte[] answer(Request call, Page.Request http, Cancellation within) {
        long began = System.nanoTime();
        byte[] answer;
        try {
            CallingApp app = identification.identify(call.getRequestId(), http.attempt());
            requireMethodOfApps(call);
            if (call.getRequest().size() > REQUEST_BYTES_MAX) {
                answer = tooLarge(call).toByteArray();
            } else {
                answer = carriedOut(app, call, within);
            }
        } catch (Throwable thrown) {
            CallFailure failure =
                    CallFailure.of(thrown, Trace.of(http.headers().get(Trace.HEADER)));
            http.attempt().end(failure.code().name());
            answer = RemoteApiErrors.of(failure).toByteArray();
        }
        metrics.add(call, answer, System.nanoTime() - began);
        return answer;
    }

    private static void requireMethodOfApps(Request call) {
        if (call.getMethod().startsWith(BundledService.PLATFORM)) {
            throw PetrichorException.of(
                    petrichor.base.ErrorCode.UNIMPLEMENTED,
                    "there is no method {method}",
                    "method",
                    call.getMethod());
        }
    }

    private byte[] carriedOut(CallingApp app, Request call, Cancellation within) {
        try (var _ = slots.take(app.project(), within)) {
            return within.limit(
                            routing.call(
                                    calls.call(
                                            app,
                                            call.getServiceName(),
                                            call.getMethod(),
                                            call.getRequest(),
                                            within)))
                    .join();
        }
    }

    private static Response tooLarge(Request call) {
        return RemoteApiErrors.rpc(
                ErrorCode.REQUEST_TOO_LARGE,
                "the request has "
                        + call.getRequest().size()
                        + " bytes, at most "
                        + REQUEST_BYTES_MAX
                        + " are allowed");
    }

    /** SDKs send these headers; what has others was meant for another service. */
    private static void requireHeader(Page.Request http, String name, String expected) {
        String value = http.headers().get(name);
        if (value != null && !value.equals(expected)) {
            throw PetrichorException.invalid(
                    "the header {name} is \"{value}\"; it must be {expected}",
                    "name",
                    name,
                    "value",
                    value,
                    "expected",
                    expected);
        }
    }

    /**
     * The deadline of the header, which has passed already if it is not positive; also ends when
     * the app disconnects.
     */
    private static Cancellation within(Page.Request http) {
        String text = http.headers().get(DEADLINE_HEADER);
        double seconds = DEADLINE_SECONDS;
        if (text != null) {
            try {
                seconds = Double.parseDouble(text);
            } catch (NumberFormatException none) {
                seconds = Double.NaN;
            }
            if (Double.isNaN(seconds)) {
                throw PetrichorException.invalid(
                        "the header {name} is \"{value}\"; it must be a number of seconds",
                        "name",
                        DEADLINE_HEADER,
                        "value",
                        text);
            }
        }
        double nanos = Math.min(seconds, DEADLINE_SECONDS_MAX) * TimeUnit.SECONDS.toNanos(1);
        Cancellation within = Cancellation.after((long) nanos);
        http.cancellation().onCancel(within::cancel);
        return within;
    }

    private static Page.Answer malformed(String why) {
        return Page.Answer.text(400, why + "\n");
    }

    private static Page.Answer bytes(byte[] body) {
        return Page.Answer.bytes(200, MEDIA_TYPE, body);
    }
}
