package petrichor.apps.router;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A response of an app that names a blob instead of containing it, as App Engine's SDKs do. The
 * platform's own server sends the content; it checks with the ticket of the request that the blob
 * belongs to the app. Confined to its event loop.
 */
final class BlobReply {
    /** Where the platform's server answers. */
    private static final String PATH = "/_ah/blob";

    private static final String KEY = "X-AppEngine-BlobKey";
    private static final String RANGE = "X-AppEngine-BlobRange";

    /** Fields of requests that the platform has set. */
    private static final String PLATFORM_FIELDS = "x-appengine-";

    /** SDKs send it to get the media type of the blob. */
    private static final String TYPE_OF_BLOB = "application/vnd.google.appengine.auto";

    /** Fields of the platform's response. */
    private static final Set<String> OF_CONTENT =
            Set.of(
                    "accept-ranges",
                    "content-length",
                    "content-range",
                    "content-type",
                    "transfer-encoding");

    private static final Set<Integer> CONTENT = Set.of(200, 206, 416);

    private final HttpHeaders app;
    private final String key;
    private final @Nullable String range;

    private BlobReply(HttpHeaders app) {
        this.app = app;
        this.key = app.get(KEY);
        this.range = app.get(RANGE);
        app.remove(KEY);
        app.remove(RANGE);
    }

    /** Null if the response names no blob. Takes the fields that do. */
    static @Nullable BlobReply named(HttpResponse response) {
        boolean blob = response.status().code() == 200 && response.headers().contains(KEY);
        return blob ? new BlobReply(response.headers()) : null;
    }

    /**
     * The request for the content, or the part of it that the app or the client wants.
     *
     * @param asked the request that the app has answered
     */
    HttpRequest request(HttpRequest asked) {
        HttpMethod method =
                asked.method().equals(HttpMethod.HEAD) ? HttpMethod.HEAD : HttpMethod.GET;
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, PATH);
        for (Map.Entry<String, String> field : asked.headers()) {
            String name = field.getKey();
            if (name.regionMatches(true, 0, PLATFORM_FIELDS, 0, PLATFORM_FIELDS.length())) {
                request.headers().add(name, field.getValue());
            }
        }
        request.headers().set(HttpHeaderNames.HOST, asked.headers().get(HttpHeaderNames.HOST, ""));
        request.headers().set(KEY, key);
        String part = range == null ? asked.headers().get(HttpHeaderNames.RANGE) : range;
        if (part != null) {
            request.headers().set(HttpHeaderNames.RANGE, part);
        }
        return request;
    }

    /** The platform's response with the app's fields; unchanged if there is no such blob. */
    HttpResponse with(HttpResponse content) {
        HttpHeaders headers = content.headers();
        if (!CONTENT.contains(content.status().code())) {
            return content;
        }
        for (String name : headers.names()) {
            if (!OF_CONTENT.contains(name.toLowerCase(Locale.ROOT))) {
                headers.remove(name);
            }
        }
        String type = app.get(HttpHeaderNames.CONTENT_TYPE, "");
        if (type.isEmpty() || type.equals(TYPE_OF_BLOB)) {
            app.remove(HttpHeaderNames.CONTENT_TYPE);
        }
        app.remove(HttpHeaderNames.CONTENT_LENGTH);
        app.remove(HttpHeaderNames.CONTENT_RANGE);
        app.remove(HttpHeaderNames.TRANSFER_ENCODING);
        for (String name : app.names()) {
            headers.set(name, app.getAll(name));
        }
        return content;
    }
}
