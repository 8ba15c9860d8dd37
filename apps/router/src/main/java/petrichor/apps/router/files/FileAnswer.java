package petrichor.apps.router.files;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.http.ContentCoding;
import petrichor.apps.router.http.HttpDate;
import petrichor.apps.router.table.FileOptions;

/**
 * The response to a request for a static file.
 *
 * @param headers without a Content-Length if the length is unknown until the body has been sent
 */
public record FileAnswer(HttpResponseStatus status, HttpHeaders headers, FileBody body) {
    /** What the response depends on. */
    public record Question(
            Path root, String relative, FileOptions options, HttpHeaders request, Client client) {}

    /**
     * @param now for the Expires field
     * @param chunks whether the client can receive a body of unknown length
     */
    public record Client(Instant now, boolean chunks) {}

    /** Completes at once if the file is in memory; empty if it does not exist. */
    public static CompletableFuture<Optional<FileAnswer>> of(StaticFiles files, Question question) {
        StaticFile cached = files.cached(question.root(), question.relative());
        if (cached != null) {
            return CompletableFuture.completedFuture(Optional.of(of(files, cached, question)));
        }
        return files.load(question.root(), question.relative())
                .thenApply(found -> found.map(file -> of(files, file, question)));
    }

    private static FileAnswer of(StaticFiles files, StaticFile file, Question question) {
        HttpHeaders request = question.request();
        FileOptions options = question.options();
        HttpHeaders headers = new DefaultHttpHeaders();
        String type = options.contentType().orElse(file.facts().contentType());
        boolean compressible = ContentTypes.isCompressible(type);
        boolean whole = request.get(HttpHeaderNames.RANGE) == null;
        boolean gzip =
                compressible
                        && whole
                        && ContentCoding.GZIP.isAcceptedBy(request)
                        && canGzip(files, file, question);
        String tag = '"' + file.facts().tag() + (gzip ? "-gz" : "") + '"';
        headers.set(HttpHeaderNames.ETAG, tag);
        headers.set(HttpHeaderNames.LAST_MODIFIED, HttpDate.format(file.facts().modified()));
        long maxAge = options.expiration().toSeconds();
        headers.set(HttpHeaderNames.CACHE_CONTROL, "public, max-age=" + maxAge);
        headers.set(
                HttpHeaderNames.EXPIRES,
                HttpDate.format(question.client().now().plusSeconds(maxAge)));
        if (compressible) {
            headers.set(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT_ENCODING);
        }
        headers.set("X-Content-Type-Options", "nosniff");
        options.headers().forEach(headers::set);
        if (isUnmodified(request, file)) {
            return new FileAnswer(HttpResponseStatus.NOT_MODIFIED, headers, FileBody.NONE);
        }
        headers.set(HttpHeaderNames.CONTENT_TYPE, type);
        if (gzip) {
            headers.set(HttpHeaderNames.CONTENT_ENCODING, "gzip");
            return gzipped(files, file, headers);
        }
        headers.set(HttpHeaderNames.ACCEPT_RANGES, "bytes");
        return plain(files, file, request, headers);
    }

    private static boolean canGzip(StaticFiles files, StaticFile file, Question question) {
        StaticFile.Contents contents = file.contents();
        return contents == null
                ? question.client().chunks()
                        && file.facts().bytes() <= files.limits().gzipBytesMax()
                : contents.gzipped() != null;
    }

    private static FileAnswer gzipped(StaticFiles files, StaticFile file, HttpHeaders headers) {
        StaticFile.Contents contents = file.contents();
        byte[] ready = contents == null ? null : contents.gzipped();
        if (ready == null) {
            return new FileAnswer(
                    HttpResponseStatus.OK, headers, FileBody.gzip(files, file.path()));
        }
        headers.set(HttpHeaderNames.CONTENT_LENGTH, ready.length);
        return new FileAnswer(
                HttpResponseStatus.OK, headers, FileBody.memory(ready, 0, ready.length));
    }

    private static FileAnswer plain(
            StaticFiles files, StaticFile file, HttpHeaders request, HttpHeaders headers) {
        long bytes = file.facts().bytes();
        return switch (range(request, file)) {
            case RequestedRange.All _ -> {
                headers.set(HttpHeaderNames.CONTENT_LENGTH, bytes);
                yield new FileAnswer(HttpResponseStatus.OK, headers, body(files, file, 0, bytes));
            }
            case RequestedRange.Part(long first, long last) -> {
                headers.set(
                        HttpHeaderNames.CONTENT_RANGE, "bytes " + first + "-" + last + "/" + bytes);
                headers.set(HttpHeaderNames.CONTENT_LENGTH, last - first + 1);
                yield new FileAnswer(
                        HttpResponseStatus.PARTIAL_CONTENT,
                        headers,
                        body(files, file, first, last - first + 1));
            }
            case RequestedRange.Unsatisfiable _ -> {
                headers.set(HttpHeaderNames.CONTENT_RANGE, "bytes */" + bytes);
                headers.set(HttpHeaderNames.CONTENT_LENGTH, 0);
                yield new FileAnswer(
                        HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE, headers, FileBody.NONE);
            }
        };
    }

    private static FileBody body(StaticFiles files, StaticFile file, long from, long bytes) {
        StaticFile.Contents contents = file.contents();
        return contents == null
                ? FileBody.disk(files, file.path(), from, bytes)
                : FileBody.memory(contents.plain(), (int) from, (int) bytes);
    }

    /** A range of a file that has changed since the client saw it is the whole file. */
    private static RequestedRange range(HttpHeaders request, StaticFile file) {
        String range = request.get(HttpHeaderNames.RANGE, "");
        String condition = request.get(HttpHeaderNames.IF_RANGE);
        if (condition != null
                && !condition.equals('"' + file.facts().tag() + '"')
                && !condition.equals(HttpDate.format(file.facts().modified()))) {
            return new RequestedRange.All();
        }
        return RequestedRange.of(range, file.facts().bytes());
    }

    private static boolean isUnmodified(HttpHeaders request, StaticFile file) {
        String tags = request.get(HttpHeaderNames.IF_NONE_MATCH);
        if (tags != null) {
            return matches(tags, file.facts().tag());
        }
        Instant since = date(request.get(HttpHeaderNames.IF_MODIFIED_SINCE));
        return since != null && !file.facts().modified().isAfter(since);
    }

    private static boolean matches(String tags, String tag) {
        for (String each : tags.split(",", -1)) {
            String seen = each.strip();
            String opaque = seen.startsWith("W/") ? seen.substring(2) : seen;
            if (opaque.equals("*")
                    || opaque.equals('"' + tag + '"')
                    || opaque.equals('"' + tag + "-gz\"")) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable Instant date(@Nullable String field) {
        if (field == null) {
            return null;
        }
        try {
            return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(field));
        } catch (DateTimeParseException invalid) {
            return null;
        }
    }
}
