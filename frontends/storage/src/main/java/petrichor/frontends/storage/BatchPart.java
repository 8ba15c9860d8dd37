package petrichor.frontends.storage;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.http.MultipartReader;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RequestBody;

/**
 * A request within a batch (RFC 9112, section 2.1).
 *
 * @param contentId names the part in the response; empty if not set
 * @param target path and query, not decoded
 * @param path decoded
 * @param parameters of the query, the first of each name
 * @param headers with lower-case names
 */
record BatchPart(
        String contentId,
        String method,
        String target,
        String path,
        Map<String, String> parameters,
        Map<String, String> headers,
        String body) {
    /** Of the first line and the headers; the path is in the audit log. */
    private static final int HEAD_CHARS_MAX = 16 << 10;

    private static final String LINE_END = "\r\n";
    private static final String AUTHORIZATION = "authorization";

    /** INVALID_ARGUMENT if the text is not a request. */
    static BatchPart of(MultipartReader.Part part, String text) {
        int end = text.indexOf(LINE_END + LINE_END);
        String head = end < 0 ? text.strip() : text.substring(0, end);
        if (head.length() > HEAD_CHARS_MAX) {
            throw PetrichorException.invalid(
                    "the headers of a part of a batch are longer than {charsMax} characters",
                    "charsMax",
                    HEAD_CHARS_MAX);
        }
        String[] lines = head.split(LINE_END, -1);
        String[] start = lines[0].split(" ", -1);
        if (start.length != 3 || !start[2].startsWith("HTTP/1.")) {
            throw PetrichorException.invalid(
                    "a part of a batch must begin with METHOD PATH HTTP/1.1, not with \"{line}\"",
                    "line",
                    lines[0]);
        }
        String target = pathAndQuery(start[1]);
        return new BatchPart(
                part.headers().getOrDefault("content-id", ""),
                start[0],
                target,
                ResourcePath.decoded(ResourcePath.path(target)),
                parameters(target),
                headers(lines),
                end < 0 ? "" : text.substring(end + 4));
    }

    private static Map<String, String> headers(String[] lines) {
        Map<String, String> headers = new HashMap<>();
        for (int at = 1; at < lines.length; at++) {
            int colon = lines[at].indexOf(':');
            if (colon > 0) {
                headers.putIfAbsent(
                        lines[at].substring(0, colon).strip().toLowerCase(Locale.ROOT),
                        lines[at].substring(colon + 1).strip());
            }
        }
        return headers;
    }

    /** Some clients send complete URLs. */
    private static String pathAndQuery(String target) {
        if (target.startsWith("/")) {
            return target;
        }
        int host = target.indexOf("://");
        int path = host < 0 ? -1 : target.indexOf('/', host + 3);
        return path < 0 ? "/" : target.substring(path);
    }

    /** Whether its caller is that of the batch, whose token alone is verified. */
    boolean hasCallerOf(Page.Request batch) {
        String own = headers.get(AUTHORIZATION);
        return own == null || own.equals(batch.headers().get(AUTHORIZATION));
    }

    /**
     * The request that the server would have received without the batch.
     *
     * @param attempt of this part
     */
    Page.Request in(Page.Request batch, AccessAttempt attempt) {
        Map<String, String> all = new HashMap<>(headers);
        all.put("host", batch.headers().getOrDefault("host", "localhost"));
        return new Page.Request(
                path,
                Map.of(),
                parameters,
                body.getBytes(StandardCharsets.UTF_8),
                headers.getOrDefault("content-type", ""),
                headers.getOrDefault("accept", ""),
                batch.origin(),
                all,
                attempt,
                batch.cancellation(),
                new Page.Raw(method, target, RequestBody.EMPTY));
    }

    private static Map<String, String> parameters(String target) {
        Map<String, String> parameters = new HashMap<>();
        int query = target.indexOf('?');
        if (query < 0) {
            return parameters;
        }
        for (String pair : target.substring(query + 1).split("&", -1)) {
            int equals = pair.indexOf('=');
            parameters.putIfAbsent(
                    decoded(equals < 0 ? pair : pair.substring(0, equals)),
                    equals < 0 ? "" : decoded(pair.substring(equals + 1)));
        }
        return parameters;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw PetrichorException.invalid(
                    "the query parameter \"{text}\" cannot be decoded", "text", text);
        }
    }
}
