package petrichor.frontends.appengine.blobstore;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.Tickets;
import petrichor.frontends.http.ByteRange;
import petrichor.frontends.http.Page;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.Blobs;
import petrichor.services.blobs.content.ContentReader;

/**
 * {@code GET /_ah/blob} with the field {@code X-AppEngine-BlobKey}: the content of a blob, which an
 * app has named in its response. The router sends this request while it handles that of the user,
 * whose ticket determines the app. Thread-safe.
 */
public final class BlobPages {
    private static final String PATH = "/_ah/blob";
    private static final String KEY = "x-appengine-blobkey";

    /** A few pieces of content. */
    private static final int BYTES = 2 << 20;

    private final Supplier<Blobs> blobs;
    private final Tickets tickets;
    private final MemoryBudget memory;

    /**
     * @param memory for contents that clients have not read yet
     */
    public BlobPages(Supplier<Blobs> blobs, Tickets tickets, MemoryBudget memory) {
        this.blobs = blobs;
        this.tickets = tickets;
        this.memory = memory;
    }

    public List<Page> pages() {
        return List.of(new Page("GET", PATH, Page.Access.OPEN, Page.Lane.CALLS, this::answer));
    }

    private Page.Answer answer(Page.Request request) {
        Map<String, String> headers = request.headers();
        Optional<CallingApp> app = tickets.app(headers.getOrDefault("x-appengine-api-ticket", ""));
        if (app.isEmpty()) {
            return Page.Answer.text(403, "only the router reads blobs here\n");
        }
        Optional<BlobObject> blob =
                BlobKeys.find(blobs.get(), app.get().project(), headers.getOrDefault(KEY, ""));
        return blob.isEmpty()
                ? Page.Answer.text(404, "there is no such blob\n")
                : content(blob.get(), headers.getOrDefault("range", ""));
    }

    private Page.Answer content(BlobObject blob, String range) {
        long size = blob.bytes();
        return switch (ByteRange.of(range, size)) {
            case ByteRange.All _ -> streamed(blob, 200, 0, size);
            case ByteRange.Some(long from, long to) -> streamed(blob, 206, from, to);
            case ByteRange.Nothing _ ->
                    Page.Answer.bytes(416, "text/plain", new byte[0])
                            .with(Map.of("content-range", "bytes */" + size));
        };
    }

    private Page.Answer streamed(BlobObject blob, int status, long from, long to) {
        MemoryBudget.Reservation held = memory.reservation();
        if (!held.add(BYTES)) {
            held.close();
            return Page.Answer.text(503, "too many blobs are being read; retry later\n");
        }
        try {
            Map<String, String> headers = new HashMap<>(Map.of("accept-ranges", "bytes"));
            if (status == 206) {
                headers.put("content-range", "bytes " + from + "-" + (to - 1) + "/" + blob.bytes());
            }
            String type = blob.attributes().headers().contentType().strip();
            return new Page.Answer(
                    status,
                    type.isEmpty() ? "application/octet-stream" : type,
                    new byte[0],
                    headers,
                    new Content(blobs.get().objects().read(blob, from, to), to - from, held));
        } catch (RuntimeException failed) {
            held.close();
            throw failed;
        }
    }

    private record Content(ContentReader reader, long bytes, MemoryBudget.Reservation held)
            implements Page.Rest {
        @Override
        public byte @Nullable [] get() {
            return reader.next();
        }

        @Override
        public void close() {
            try (held) {
                reader.close();
            }
        }
    }
}
