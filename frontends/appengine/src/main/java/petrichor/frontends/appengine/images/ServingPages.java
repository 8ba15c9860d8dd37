package petrichor.frontends.appengine.images;

import com.google.appengine.api.images.ImagesServicePb.ImagesGetUrlBaseRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.PlatformCalls;
import petrichor.frontends.http.Page;
import petrichor.services.images.ImageLimits;
import petrichor.services.images.ImageProblem;
import petrichor.services.images.Images;
import petrichor.services.images.ServedSize;

/**
 * The URLs that serve blobs as images, such as {@code /_ah/img/PROJECT/KEY=s200-c}. Everybody may
 * read what an app serves. Thread-safe.
 */
public final class ServingPages {
    private static final String PATH = "/_ah/img/";

    /** Projects and keys may contain colons; keys of objects in buckets end with equals signs. */
    private static final Pattern WANTED =
            Pattern.compile(PATH + "(?<project>[^/]+)/(?<key>[^/]+?)(?:=(?<size>s[^=]*))?");

    private static final Map<String, String> HEADERS =
            Map.of(
                    "cache-control",
                    "public, max-age=86400",
                    // An uploaded file must not act as a page of this server.
                    "content-security-policy",
                    "sandbox",
                    "x-content-type-options",
                    "nosniff");

    private final Images images;
    private final ImageBlobs blobs;
    private final PlatformCalls calls;
    private final MemoryBudget memory;

    /**
     * @param memory for contents of blobs
     */
    public ServingPages(Images images, ImageBlobs blobs, PlatformCalls calls, MemoryBudget memory) {
        this.images = images;
        this.blobs = blobs;
        this.calls = calls;
        this.memory = memory;
    }

    /** The path of a blob's URL. */
    public static String path(String project, String blobKey) {
        return PATH + project + "/" + blobKey;
    }

    public List<Page> pages() {
        return List.of(
                new Page("GET", PATH + "*", Page.Access.OPEN, Page.Lane.CALLS, this::answer));
    }

    private Page.Answer answer(Page.Request request) {
        Matcher wanted = WANTED.matcher(request.path());
        if (!wanted.matches()) {
            return notFound();
        }
        String options = wanted.group("size");
        Optional<ServedSize> size = ServedSize.parse(options == null ? "" : options);
        if (size.isEmpty()) {
            return Page.Answer.text(400, "a size is =s0 to =s1600, with -c for a square\n");
        }
        String project = wanted.group("project");
        String key = wanted.group("key");
        // An unknown project has no blobs, and no database is created for it.
        OptionalLong bytes = blobs.bytes(project, key);
        if (bytes.isEmpty() || !isServed(project, key)) {
            return notFound();
        }
        return served(project, key, size.get(), bytes.getAsLong(), request);
    }

    private Page.Answer served(
            String project, String key, ServedSize size, long bytes, Page.Request request) {
        if (bytes > ImageLimits.INPUT_BYTES_MAX) {
            return Page.Answer.text(413, "the blob is too large for an image\n");
        }
        MemoryBudget.Reservation held = memory.reservation();
        try {
            if (!held.add(bytes)) {
                held.close();
                return busy();
            }
            Optional<byte[]> content = blobs.read(project, key, ImageLimits.INPUT_BYTES_MAX);
            if (content.isEmpty()) {
                held.close();
                return notFound();
            }
            Images.Served image = images.served(content.get(), size, request.cancellation());
            if (!held.add(image.content().length)) {
                held.close();
                return busy();
            }
            return Page.Answer.bytes(200, image.mediaType(), image.content())
                    .with(HEADERS)
                    .holding(held);
        } catch (ImageProblem problem) {
            held.close();
            return Page.Answer.text(415, problem.detail() + "\n");
        } catch (PetrichorException failed) {
            held.close();
            return failed(failed);
        }
    }

    private static Page.Answer failed(PetrichorException failed) {
        return switch (failed.code()) {
            case RESOURCE_EXHAUSTED, UNAVAILABLE, ABORTED ->
                    Page.Answer.text(503, failed.getMessage() + "\n");
            case DEADLINE_EXCEEDED -> Page.Answer.text(504, failed.getMessage() + "\n");
            case INVALID_ARGUMENT,
                    NOT_FOUND,
                    ALREADY_EXISTS,
                    FAILED_PRECONDITION,
                    UNIMPLEMENTED,
                    UNAUTHENTICATED,
                    PERMISSION_DENIED,
                    INTERNAL ->
                    throw failed;
        };
    }

    private boolean isServed(String project, String key) {
        ImagesGetUrlBaseRequest request =
                ImagesGetUrlBaseRequest.newBuilder().setBlobKey(key).build();
        return calls.call(project, "images", ImagesApi.IS_SERVED, request).isPresent();
    }

    private static Page.Answer busy() {
        return Page.Answer.text(503, "too many images are being served; retry later\n");
    }

    private static Page.Answer notFound() {
        return Page.Answer.text(404, "there is no such image\n");
    }
}
