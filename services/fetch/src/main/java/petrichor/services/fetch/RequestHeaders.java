package petrichor.services.fetch;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import petrichor.services.fetch.FetchResult.Reason;

/**
 * The header fields that are sent: the app's without those that frame the message or that the
 * platform vouches for, with App Engine's defaults.
 */
final class RequestHeaders {
    static final String INBOUND_APP = "X-Appengine-Inbound-Appid";
    private static final String USER_AGENT = "User-Agent";
    private static final String ACCEPT_ENCODING = "Accept-Encoding";
    private static final String CONTENT_TYPE = "Content-Type";

    /** App Engine's list, and the fields that belong to a connection. */
    private static final Set<String> REMOVED =
            Set.of(
                    "content-length",
                    "host",
                    "vary",
                    "via",
                    "x-forwarded-for",
                    "x-proxyuser-ip",
                    "connection",
                    "expect",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "proxy-connection",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    /** Only the platform sets these. */
    private static final String RESERVED_PREFIX = "x-appengine-";

    /** Not sent to another origin than the one of the URL that the app named. */
    private static final Set<String> CREDENTIALS = Set.of("authorization", "cookie");

    private RequestHeaders() {}

    /**
     * @param app sent as part of the user agent, so that servers can complain about it
     * @throws FetchFailure for a malformed field
     */
    static List<HeaderField> of(String app, FetchRequest request) {
        if (request.headers().size() > FetchLimits.REQUEST_HEADERS_MAX) {
            throw new FetchFailure(
                    Reason.FETCH_ERROR,
                    "the request has more than "
                            + FetchLimits.REQUEST_HEADERS_MAX
                            + " header fields");
        }
        String agent = "AppEngine-Google; (+http://code.google.com/appengine; appid: " + app + ")";
        List<HeaderField> sent = new ArrayList<>();
        for (HeaderField field : request.headers()) {
            if (!field.isWellFormed()) {
                throw new FetchFailure(
                        Reason.FETCH_ERROR,
                        "a header field has characters that HTTP does not allow, such as line"
                                + " breaks");
            }
            String name = field.lowerName();
            if (REMOVED.contains(name) || name.startsWith(RESERVED_PREFIX)) {
                continue;
            }
            sent.add(
                    field.isNamed(USER_AGENT)
                            ? new HeaderField(USER_AGENT, field.value() + " " + agent)
                            : field);
        }
        if (lacks(sent, USER_AGENT)) {
            sent.add(new HeaderField(USER_AGENT, agent));
        }
        if (lacks(sent, ACCEPT_ENCODING)) {
            sent.add(new HeaderField(ACCEPT_ENCODING, "gzip"));
        }
        if (request.method() == FetchRequest.Method.POST
                && request.payload().length > 0
                && lacks(sent, CONTENT_TYPE)) {
            sent.add(new HeaderField(CONTENT_TYPE, "application/x-www-form-urlencoded"));
        }
        return sent;
    }

    /** Whether the app decodes responses itself. */
    static boolean decodesItself(FetchRequest request) {
        return !lacks(request.headers(), ACCEPT_ENCODING);
    }

    private static boolean lacks(List<HeaderField> fields, String name) {
        return fields.stream().noneMatch(field -> field.isNamed(name));
    }

    static List<HeaderField> withoutCredentials(List<HeaderField> fields) {
        return fields.stream().filter(field -> !CREDENTIALS.contains(field.lowerName())).toList();
    }

    /** After a redirect that turned the request into a GET. */
    static List<HeaderField> withoutPayload(List<HeaderField> fields) {
        return fields.stream().filter(field -> !field.lowerName().startsWith("content-")).toList();
    }
}
