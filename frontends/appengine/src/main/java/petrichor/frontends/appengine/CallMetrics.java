package petrichor.frontends.appengine;

import com.google.apphosting.base.protos.api.RemoteApiPb.Request;
import com.google.apphosting.base.protos.api.RemoteApiPb.Response;
import com.google.apphosting.base.protos.api.RemoteApiPb.RpcError.ErrorCode;
import com.google.protobuf.InvalidProtocolBufferException;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the calls of apps, and logs each at debug level. Thread-safe. */
final class CallMetrics {
    private static final Logger LOG = LoggerFactory.getLogger("petrichor.requests");

    private static final String OK = "OK";
    private static final String APPLICATION_ERROR = "APPLICATION_ERROR";

    /** Instead of names that clients invent: a label has few values. */
    private static final String UNKNOWN = "unknown";

    /** The first byte of every successful {@link Response}. */
    private static final byte RESPONSE_TAG = (Response.RESPONSE_FIELD_NUMBER << 3) | 2;

    private final Set<String> services;
    private final Counter calls;

    /**
     * @param services names of all services
     */
    CallMetrics(PrometheusRegistry registry, Set<String> services) {
        this.services = Set.copyOf(services);
        this.calls =
                Counter.builder()
                        .name("petrichor_appengine_calls_total")
                        .help("Completed calls of App Engine's bundled services.")
                        .labelNames("service", "method", "outcome")
                        .withoutExemplars()
                        .register(registry);
    }

    void add(Request call, byte[] response, long nanos) {
        String outcome = outcome(response);
        // A service that answers has the method; other failures do not depend on it.
        boolean named = outcome.equals(OK) || outcome.equals(APPLICATION_ERROR);
        calls.labelValues(
                        services.contains(call.getServiceName()) ? call.getServiceName() : UNKNOWN,
                        named ? call.getMethod() : UNKNOWN,
                        outcome)
                .inc();
        if (LOG.isDebugEnabled()) {
            LOG.debug(
                    "{}.{} {} in {} µs",
                    call.getServiceName(),
                    call.getMethod(),
                    outcome,
                    TimeUnit.NANOSECONDS.toMicros(nanos));
        }
    }

    private static String outcome(byte[] response) {
        if (response.length > 0 && response[0] == RESPONSE_TAG) {
            return OK;
        }
        try {
            Response failed = Response.parseFrom(response);
            if (failed.hasApplicationError()) {
                return APPLICATION_ERROR;
            }
            ErrorCode code = ErrorCode.forNumber(failed.getRpcError().getCode());
            return code == null ? ErrorCode.UNKNOWN.name() : code.name();
        } catch (InvalidProtocolBufferException impossible) {
            return ErrorCode.UNKNOWN.name();
        }
    }
}
